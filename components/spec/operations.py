"""What watches a cluster, what becomes of broken nodes, and rules that resources may break."""

import datetime
from typing import Literal

from pydantic import Field

from gpucluster.components.spec.model import Model

__all__ = ["BrokenNodes", "Exemption", "Health", "Telemetry"]


class Exemption(Model):
    """A rule that a resource may break, for a reason, until a day."""

    rule: str = Field(
        min_length=1,
        description="Name of the rule, as `gpucluster guardrails list` prints it",
        examples=["required-labels"],
    )
    resource: str = Field(min_length=1, description="Logical name of the resource, or * for all")
    reason: str = Field(min_length=10, description="Why it may")
    owner: str = Field(min_length=1, description="Who answers for it")
    until: datetime.date = Field(description="Last day it holds", examples=["2027-01-31"])


class Telemetry(Model):
    """What watches the cluster besides metrics of its GPUs, alerts and dashboards, which every cluster has."""

    opencost: bool = Field(
        default=False, description="Run OpenCost, which tells what each team used, at the prices of this project"
    )
    collector: bool = Field(
        default=False, description="Run an OpenTelemetry collector for metrics that jobs send of themselves"
    )


BrokenNodes = Literal["drain", "report", "leave"]


class Health(Model):
    """What becomes of GPU nodes that break."""

    broken_nodes: BrokenNodes = Field(
        default="drain",
        description="drain: their jobs move to spares, and the cloud repairs them where it can; report: an event tells "
        "of each, and nothing is done; leave: nobody looks",
    )

"""What no job on Azure may reach: the services that give a node its identity and its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.spec.file import read_spec

ROOT = Path(__file__).parents[3]
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"


def test_no_job_reaches_the_services_of_its_machine(registered: Callable[[Callable[[], object]], Any]) -> None:
    """Azure documentation: the instance metadata service at 169.254.169.254, the wire server at 168.63.129.16."""
    here = Location(subscription=SUBSCRIPTION, region="eastus", number="1")
    plan = CLOUD.plan_cluster(read_spec(ROOT / "stacks/specs/trial.yaml"), here, stack="dev")

    def program() -> None:
        from gpucluster.components.azure.cluster import TrainingCluster

        TrainingCluster(plan.name, plan)

    policies = [str(inputs) for type_, _, inputs in registered(program) if type_.endswith(":NetworkPolicy")]
    closed = [text for text in policies if "169.254.169.254/32" in text and "168.63.129.16/32" in text]
    assert len(closed) == 1

"""Monitoring of a cluster, handling of broken nodes, kinds of jobs, a fleet, and exemptions from rules."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, WithJsonSchema

from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.model import Day, Model, Whole

# What every cloud's mail takes: a part before the @, and a name of a host with a dot.
_MAIL = r"^[\w.+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$"


GRACE_SECONDS: Final = 120
"""For a last checkpoint: as long as the longest warning of a cloud before it reclaims a machine, two minutes on AWS.
Google Cloud and Azure give 30 seconds. torchrun forwards SIGTERM and gives its processes 30 seconds.

Sources: Amazon EC2 user guide, spot-instance-termination-notices; GKE documentation, "Spot VMs"; Azure documentation,
"Scheduled Events"; pytorch/pytorch, torch/distributed/elastic/multiprocessing/api.py (PContext.close).
"""
_MOST_GRACE: Final = 3600
"""The longest that a cloud waits for pods: an hour, before planned maintenance of a host. Source: the arguments of GKE
1.35.6's own maintenance handler on GPU nodes, as users print them (--regular-vm-timeout=1h0m0s).
"""


def _once(value: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({one for one in value if value.count(one) > 1})
    if twice:
        raise ValueError(f"has {', '.join(twice)} more than once; write each once")
    return value


Scheduler = Literal["kueue", "slurm", "both"]


class JobKinds(Model):
    """Who gives GPUs to jobs, and kinds of jobs in addition to Kubernetes' own, TrainJobs and JobSets."""

    scheduler: Scheduler = Field(
        default="kueue",
        description="kueue: each pool is a queue of Kubernetes' jobs; slurm: each is a partition of a Slurm cluster in "
        "Kubernetes, by Slinky's operator; both: those of slurm_pools are partitions, the others queues",
    )
    slurm_pools: Annotated[tuple[str, ...], AfterValidator(_once)] = Field(
        default=(),
        description="Pools of Slurm if scheduler is both; no other pod gets their GPUs",
        examples=[[TRAINING_POOL]],
    )
    slurm_accounting: bool = Field(
        default=False,
        description="Records jobs of Slurm in a database on a block volume, for sacct and sreport",
    )
    leader_worker_sets: bool = Field(
        default=False,
        description="Installs the controller of LeaderWorkerSets: each replica of a service on several nodes, all of "
        "which start together",
    )


# Names that Pulumi accepts, with organization and project if the stack is of another project.
_STACK: Final = r"^[\w.-]{1,100}(/[\w.-]{1,100}/[\w.-]{1,100})?$"


def _stack(value: str) -> str:
    if not re.fullmatch(_STACK, value, re.ASCII):
        raise ValueError("is not the name of a stack; write one such as second, or organization/project/stack")
    return value


_Stack = Annotated[str, AfterValidator(_stack), WithJsonSchema({"type": "string", "pattern": _STACK})]


def _one_side(workers: Sequence[str], manager: str | None) -> Iterator[Problem]:
    if bool(workers) == (manager is not None):
        seen = "has workers and manager" if workers else "has neither workers nor manager"
        yield Problem("", seen, "write workers in the spec of the manager, manager in that of each worker")


class Fleet(Model):
    """One queue over several clusters: the jobs of the manager's queue `fleet` run in the workers."""

    checks = (_one_side,)

    workers: Annotated[tuple[_Stack, ...], AfterValidator(_once)] = Field(
        default=(),
        max_length=20,
        description="Stacks whose clusters run the jobs of this cluster's queue `fleet`; the cheapest GPU-hour is "
        "tried first, whatever the order here",
        examples=[["second", "third"]],
    )
    manager: _Stack | None = Field(
        default=None,
        description="Stack whose queue `fleet` may send jobs to this cluster, for its training nodes",
        examples=["first"],
    )


class Exemption(Model):
    """An accepted finding of a rule for a resource, with a reason and an end."""

    rule: str = Field(
        min_length=1,
        description="Name of the rule, as `gpucluster guardrails list` prints it",
        examples=["required-labels"],
    )
    resource: str = Field(min_length=1, description="Logical name of the resource, or * for all")
    reason: str = Field(min_length=10, description="Why it may")
    owner: str = Field(min_length=1, description="Team or person responsible")
    until: Day = Field(description="Last day it is valid", examples=["2027-01-31"])


def _mail(value: str) -> str:
    if not re.fullmatch(_MAIL, value, re.ASCII):
        raise ValueError("is not a mail address; write one such as gpu-oncall@example.com")
    return value


def is_webhook(url: str) -> bool:
    """Whether alerts may be sent to it: they describe the cluster, and the URL may contain a token."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname) and re.search(r"[\s\x00-\x1f]", url) is None


def _webhook(value: SecretStr) -> SecretStr:
    if not is_webhook(value.get_secret_value()):
        raise ValueError("is not an https:// URL; write one such as https://alerts.example.com/gpus")
    return value


_Address = Annotated[str, AfterValidator(_mail), WithJsonSchema({"type": "string", "pattern": _MAIL})]
_Url = Annotated[
    SecretStr, AfterValidator(_webhook), WithJsonSchema({"type": "string", "pattern": "^https://", "writeOnly": True})
]


def _receivers(mail: Sequence[str], webhook: SecretStr | None, topic: str | None) -> Iterator[Problem]:
    if not (mail or webhook or topic):
        yield Problem("", "has no receiver", "write mail, webhook or topic, or remove alerts")


class Alerts(Model):
    """Receivers of alerts when they fire and when they are resolved; at least one."""

    checks = (_receivers,)

    mail: Annotated[tuple[_Address, ...], AfterValidator(_once)] = Field(
        default=(), description="Addresses that get a mail; not on Google Cloud", examples=[["gpu-oncall@example.com"]]
    )
    webhook: _Url | None = Field(
        default=None,
        description="URL that each alert is posted to. It is a secret in the state; a stack may set it in its "
        "configuration instead, as the secret alertsWebhook",
        examples=["https://alerts.example.com/gpus"],
    )
    topic: str | None = Field(
        default=None,
        min_length=1,
        description="Existing receiver of alerts (AWS: ARN of an SNS topic; Azure: id of an action group; none on "
        "Google Cloud)",
        examples=["arn:aws:sns:us-east-1:123456789012:pager"],
    )


class Logs(Model):
    """Logs of pods, kept by the cloud."""

    keep_days: Whole = Field(
        default=30,
        ge=0,
        description="Days that the cloud keeps logs of pods, and on Azure of the control plane. 0: no logs are "
        "collected. CloudWatch allows certain numbers, Log Analytics 30 to 730, Cloud Logging 1 to 3650",
    )


class Telemetry(Model):
    """Optional monitoring, in addition to GPU metrics, alerts and dashboards, which every cluster has."""

    opencost: bool = Field(
        default=False, description="Run OpenCost, which reports the cost of each team, at the prices of this project"
    )
    collector: bool = Field(default=False, description="Run an OpenTelemetry collector for metrics that jobs send")
    alerts: Alerts | None = Field(default=None, description="Receivers of alerts; default: none")
    logs: Logs = Field(default_factory=Logs, description="Logs of pods, kept by the cloud")


BrokenNodes = Literal["drain", "report", "leave"]


class Health(Model):
    """Handling of broken GPU nodes, and of jobs that lose their nodes."""

    broken_nodes: BrokenNodes = Field(
        default="drain",
        description="drain: their jobs move to spares, and the cloud repairs them if it can; report: each gets an "
        "event only; leave: broken nodes are not detected",
    )
    grace_seconds: Whole = Field(
        default=GRACE_SECONDS,
        ge=30,
        le=_MOST_GRACE,
        description="Time that pods of a job have to save their state before they are killed, if their node is drained "
        "or another job preempts theirs",
    )

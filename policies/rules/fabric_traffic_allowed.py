"""Fabric traffic may pass between the nodes of a training pool."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.checks import fabric_traffic_allowed as aws
from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.gcp.checks import fabric_traffic_allowed as gcp
from gpucluster.policies.rule import Severity, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud({"AWS": aws, "Google Cloud": gcp})

RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="Traffic of the GPU fabric may pass between the nodes of a training pool",
    why="Where it may not, the nodes start and are billed, TCP works elsewhere, and NCCL hangs in its first "
    "all-reduce.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    check=_JUDGED.check,
)

"""Every interface of the GPU fabric that a training node takes is there."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.checks import fabric_interfaces_complete as aws
from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.gcp.checks import fabric_interfaces_complete as gcp
from gpucluster.policies.frameworks import AWS_PLACEMENT
from gpucluster.policies.rule import Severity, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud({"AWS": aws, "Google Cloud": gcp})

RULE: Final = StackRule(
    name="fabric-interfaces-complete",
    title="Nodes of a training pool have every interface of the GPU fabric that their machine type takes",
    why="Each missing one is bandwidth the machine's price includes and training does not get; without any, NCCL "
    "falls back to TCP.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    frameworks=(AWS_PLACEMENT,),
    check=_JUDGED.check,
)

"""One party installs the GPU driver of a node, and one offers its GPUs."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.checks import gpu_driver_has_one_owner as aws
from gpucluster.policies.clouds.azure.checks import gpu_driver_has_one_owner as azure
from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.gcp.checks import gpu_driver_has_one_owner as gcp
from gpucluster.policies.clouds.kubernetes.checks import gpu_driver_has_one_owner as kubernetes
from gpucluster.policies.rule import Severity, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud({"AWS": aws, "Google Cloud": gcp, "Azure": azure, "Kubernetes": kubernetes})

RULE: Final = StackRule(
    name="gpu-driver-has-one-owner",
    title="The GPU driver of a node, and what offers its GPUs to pods, have one owner",
    why="Two drivers fight over the kernel and none loads; of two device plugins each hands out the same GPU. The "
    "nodes are up and billed, and no job starts, or two jobs share a GPU that each believes its own.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)

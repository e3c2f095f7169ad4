"""Machines with GPUs have no address in the internet."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.checks import gpu_nodes_not_public as aws
from gpucluster.policies.clouds.azure.checks import gpu_nodes_not_public as azure
from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.gcp.checks import gpu_nodes_not_public as gcp
from gpucluster.policies.rule import Severity, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud({"AWS": aws, "Google Cloud": gcp, "Azure": azure})

RULE: Final = StackRule(
    name="gpu-nodes-not-public",
    title="Machines with GPUs have no public address",
    why="A GPU machine is the dearest thing to take over, and a job opens ports on it; each public IPv4 address is "
    "billed by the hour as well.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)

"""GKE's driver and device plugin against those of the GPU Operator.

Sources: GKE page "Run GPUs in Standard node pools" (gpu_driver_version); NVIDIA/aicr #1998 for the two device plugins;
terraform-provider-google, magic-modules #11152: a missing block differs from GKE's value in every plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import every_pool
from gpucluster.policies.clouds.kubernetes.charts import gpu_operators
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import items, text

FIX: Final = (
    "Set gpu_driver_installation_config on every GPU pool: DEFAULT or LATEST without the GPU Operator's driver and "
    "devicePlugin, INSTALLATION_DISABLED with the operator's driver."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, kubernetes:helm.sh/v3:Release"

_OFF: Final = "INSTALLATION_DISABLED"
# GKE page "Install the NVIDIA GPU Operator on GKE": nodes with it do not run GKE's device plugin.
_NO_PLUGIN: Final = "gke-no-default-nvidia-gpu-device-plugin"


def check(stack: Stack) -> Iterator[Finding]:
    operators = gpu_operators(stack.resources)
    for pool in every_pool(stack.resources):
        listed = items(pool.inputs, "nodeConfig", "guestAccelerators")
        if listed is UNKNOWN:
            yield CannotTell(pool.resource, "whether it has GPUs, and what installs their driver, is not known yet")
            continue
        if not listed and not pool.with_gpus:
            continue
        version = text(listed, 0, "gpuDriverInstallationConfig", "gpuDriverVersion")
        if version is UNKNOWN:
            yield CannotTell(pool.resource, "the installer of its GPU driver is not known yet")
            continue
        if version is None:
            yield Violation(pool.resource, f"`{pool.name}` does not set gpuDriverInstallationConfig.gpuDriverVersion")
        for operator in operators:
            if operator.on("driver") is True and version not in (None, _OFF):
                yield Violation(operator.resource, f"driver.enabled, and GKE installs the driver on `{pool.name}`")
            elif operator.on("devicePlugin") is True and pool.labels.get(_NO_PLUGIN) != "true":
                what = f"it advertises nvidia.com/gpu, and so does GKE on `{pool.name}`"
                yield Violation(operator.resource, what)

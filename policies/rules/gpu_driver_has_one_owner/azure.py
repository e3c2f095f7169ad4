"""AKS' own driver against that of the GPU Operator, the same on all GPU nodes of a cluster.

Sources: AKS pages "Use GPUs for compute-intensive workloads" (gpuProfile.driver is Install unless set) and "Use the
NVIDIA GPU Operator"; karpenter-provider-azure, AKSNodeClass spec.gpu.mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.pools import machines_of
from gpucluster.policies.clouds.kubernetes.charts import gpu_operators
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import text

FIX: Final = (
    "Set gpu_profile driver of every GPU pool (and spec.gpu.mode of an AKSNodeClass) to None, and let the GPU "
    "Operator install driver and toolkit; or to Install, with driver.enabled and toolkit.enabled of the operator "
    "false."
)
READS: Final = (
    "azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster, "
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass, kubernetes:helm.sh/v3:Release"
)

_CLASS: Final = "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass"
_BY_OTHERS: Final = "None"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in machines_of(stack.resources):
        if pool.written.aks and pool.hidden is not None and pool.written.at("gpuProfile") is not None:
            yield CannotTell(pool.resource, pool.hidden)
    owners = list(_owners(stack.resources))
    for resource, _, by_aks in owners:
        if by_aks is None:
            yield CannotTell(resource, "the installer of its GPU driver is not known yet")
    ours = [(resource, name) for resource, name, by_aks in owners if by_aks]
    others = [(resource, name) for resource, name, by_aks in owners if by_aks is False]
    if ours and others:
        yield Violation(ours[0][0], f"AKS installs the driver on `{ours[0][1]}`, but not on `{others[0][1]}`")
        return
    operators = gpu_operators(stack.resources)
    for operator in operators:
        driver = operator.on("driver")
        if driver is True and ours:
            yield Violation(operator.resource, f"driver.enabled, and AKS installs the driver on `{ours[0][1]}`")
        elif driver is False and others:
            yield Violation(
                operator.resource, f"driver.enabled is false, and AKS installs no driver on `{others[0][1]}`"
            )
    if others and not operators:
        yield CannotTell(others[0][0], "AKS installs no GPU driver, and this stack has no GPU Operator")


def _owners(resources: Resources) -> Iterator[tuple[Resource, str, bool | None]]:
    """(resource, name, whether AKS installs the driver, None while unknown) of resources that start GPU nodes."""
    for pool in machines_of(resources):
        if pool.written.aks and pool.with_gpus:
            given = text(pool.written.inputs, "gpuProfile", "driver")
            yield pool.resource, pool.name, None if given is UNKNOWN else given != _BY_OTHERS
    for node_class in resources.of_type(_CLASS):
        mode = text(node_class.inputs, "spec", "gpu", "mode")
        if mode is not None:
            yield node_class, node_class.name, None if mode is UNKNOWN else mode != _BY_OTHERS

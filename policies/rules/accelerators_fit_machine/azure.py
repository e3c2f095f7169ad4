"""MIG slices of an AKS node pool against its VM size, its driver and its purpose.

Sources: AKS page "Multi-instance GPU node pools", for the sizes; AKS slices GPUs with its own driver, so a pool
without the driver cannot be sliced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.mig import aks_profiles
from gpucluster.policies.clouds.azure.written import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import text

_PROFILES: Final = aks_profiles()

FIX: Final = (
    f"Set gpu_instance_profile to {', '.join(_PROFILES)} on a pool of its own, of A100, H100 or H200 and with "
    'gpu_profile driver "Install"; with driver "None" label it nvidia.com/mig.config and leave slicing to the GPU '
    "operator."
)
READS: Final = "azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster"


def check(resource: Resource) -> Iterator[Finding]:
    for pool in written_pools(resource):
        profile, driver = text(pool.inputs, "gpuInstanceProfile"), text(pool.inputs, "gpuProfile", "driver")
        if profile is None:
            continue
        if profile is UNKNOWN or driver is UNKNOWN or pool.machine is UNKNOWN:
            yield CannotTell(resource, "whether its GPUs support its MIG profile is not known yet")
        if isinstance(profile, str) and (problems := [*_problems(pool, profile, driver == "None")]):
            yield Violation(resource, "; ".join(problems))


def _problems(pool: Written, profile: str, without_driver: bool) -> Iterator[str]:
    if profile not in _PROFILES:
        yield f"gpuInstanceProfile {profile}; allowed: {', '.join(_PROFILES)}"
    if isinstance(pool.machine, str) and (pool.size is None or pool.size.model is None):
        yield f"gpuInstanceProfile {profile} on {pool.machine}; only A100, H100 and H200 have slices"
    if without_driver:
        yield (
            f"gpuInstanceProfile {profile} together with gpuProfile driver None; AKS slices GPUs only with its own "
            "driver"
        )

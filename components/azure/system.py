"""Machine type of the CPU nodes for DNS, operators and queues. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.catalog.cpu_machines import cpu_machines
from gpucluster.record import record

# Machine -> the family of its quota; all have a disk of their own that holds the system.
# Source: Azure/karpenter-provider-azure 352646f5, pkg/providers/instancetype/known_skus.yaml.
SYSTEM_MACHINES: Final[Mapping[str, str]] = {
    "Standard_D4ds_v5": "standardDDSv5Family",
    "Standard_D8ds_v5": "standardDDSv5Family",
    "Standard_D16ds_v5": "standardDDSv5Family",
    "Standard_D4ads_v5": "standardDADSv5Family",
    "Standard_D8ads_v5": "standardDADSv5Family",
    "Standard_D16ads_v5": "standardDADSv5Family",
    "Standard_D4ds_v4": "standardDDSv4Family",
    "Standard_D8ds_v4": "standardDDSv4Family",
    "Standard_D16ds_v4": "standardDDSv4Family",
}

# Nodes of a cluster that may be called large, and the machine for one; three of 8 vCPUs are the least that is
# recommended beside several add-ons.
# Sources: AKS documentation, "Best practices for performance and scaling for large workloads" and "Use system node
# pools" (fb060abe6, 2026-08).
_LARGE: Final = 100
_MACHINE: Final = "Standard_D8ds_v5"
_OF_LARGE: Final = "Standard_D16ds_v5"


@record(kw_only=True)
class SystemPlan:
    """One node in each of three zones. root_gib: fits on the smallest machine's own 150 GiB."""

    machine_type: str = _MACHINE
    nodes: int = 3
    root_gib: int = 128

    @property
    def quota(self) -> tuple[str, int]:
        """The family of its quota, and the vCPUs of it, those of a node more, by which it is upgraded, among them."""
        return SYSTEM_MACHINES[self.machine_type], cpu_machines()[self.machine_type].vcpus * (self.nodes + 1)


def plan_system(nodes: int, machine: str | None) -> SystemPlan:
    """nodes: all others that the cluster may have. machine: chosen for the stack."""
    return SystemPlan(machine_type=machine or (_OF_LARGE if nodes >= _LARGE else _MACHINE))

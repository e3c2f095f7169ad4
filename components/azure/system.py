"""Machine type of the CPU nodes for DNS, operators and queues. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.machines import cpu_machines

# Machine -> the family of its quota; all have a local disk large enough for the system.
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

# Number of nodes from which a cluster is large, and the machine for it; three nodes of 8 vCPUs are the recommended
# minimum with several add-ons.
# Sources: AKS documentation, "Best practices for performance and scaling for large workloads" and "Use system node
# pools" (fb060abe6, 2026-08).
_LARGE: Final = 100
_MACHINE: Final = "Standard_D8ds_v5"
_OF_LARGE: Final = "Standard_D16ds_v5"


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """zones: over which the nodes are spread, one in each; none in a region without zones. root_gib: fits on the
    smallest machine's own 150 GiB.
    """

    machine_type: str = _MACHINE
    nodes: int = 3
    root_gib: int = 128
    zones: tuple[str, ...] = ()

    @property
    def quota(self) -> tuple[str, int]:
        """The family of its quota, and the required vCPUs, including those of one surge node for upgrades."""
        return SYSTEM_MACHINES[self.machine_type], cpu_machines()[self.machine_type].vcpus * (self.nodes + 1)


def plan_system(nodes: int, machine: str | None, zones: Sequence[str]) -> SystemPlan:
    """nodes: maximum number of all other nodes. machine: chosen for the stack. zones: of the region."""
    chosen = machine or (_OF_LARGE if nodes >= _LARGE else _MACHINE)
    return SystemPlan(machine_type=chosen, zones=tuple(zones))

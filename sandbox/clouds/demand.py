"""The machines that a resource asks its cloud for; each cloud says which, in the module `demand` of its folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpucluster.catalog.cpu_machines import cpu_machines
from gpucluster.catalog.machines import machines

ON_DEMAND: Final = "on-demand"
SPOT: Final = "spot"
RESERVED: Final = "reserved"
"""Out of capacity that is held already, and counted there."""
WAITING: Final = "waiting"
"""Made once there is capacity; counted as spot."""

_AZURE_VCPUS: Final = r"(?i)standard_[a-z]+(\d+)"
"""Source: Azure documentation, "Azure virtual machine sizes naming conventions"."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Machines of one type, spread evenly over zones, which are empty where the cloud chooses."""

    machine: str
    count: int
    region: str
    zones: tuple[str, ...] = ()
    market: str = ON_DEMAND

    def amount(self, unit: str) -> int:
        """The vCPUs or GPUs of them all, as the catalog has them; 0 for a machine that it does not know."""
        gpus, cpus = machines().get(self.machine), cpu_machines().get(self.machine)
        if unit == "gpus":
            return self.count * (gpus.gpus if gpus is not None else 0)
        known = gpus or cpus
        named = re.match(_AZURE_VCPUS, self.machine)
        return self.count * (known.vcpus if known is not None else int(named[1]) if named is not None else 0)

    def in_zone(self, zone: str) -> int:
        """How many of them a zone must have."""
        return -(-self.count // len(self.zones)) if zone in self.zones else 0

"""The machines that a resource requests from its cloud; the module `demand` of each cloud's folder determines them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpucluster.catalog.cpu_machines import cpu_machines
from gpucluster.catalog.machines import machines

ON_DEMAND: Final = "on-demand"
SPOT: Final = "spot"
RESERVED: Final = "reserved"
"""From capacity that is already reserved, and counted there."""
WAITING: Final = "waiting"
"""Created when capacity becomes available; counted as spot."""

_AZURE_VCPUS: Final = r"(?i)standard_[a-z]+(\d+)"
"""Source: Azure documentation, "Azure virtual machine sizes naming conventions"."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Machines of one type, spread evenly over zones; zones are empty if the cloud chooses."""

    machine: str
    count: int
    region: str
    zones: tuple[str, ...] = ()
    market: str = ON_DEMAND

    def amount(self, unit: str) -> int:
        """The vCPUs or GPUs of all machines, by the catalog; 0 for a machine that is not in it."""
        gpus, cpus = machines().get(self.machine), cpu_machines().get(self.machine)
        if unit == "gpus":
            return self.count * (gpus.gpus if gpus is not None else 0)
        known = gpus or cpus
        named = re.match(_AZURE_VCPUS, self.machine)
        return self.count * (known.vcpus if known is not None else int(named[1]) if named is not None else 0)

    def in_zone(self, zone: str) -> int:
        """The number of machines that a zone must provide."""
        return -(-self.count // len(self.zones)) if zone in self.zones else 0

"""The machines that a resource requests from its cloud; the module `demand` of each cloud's folder determines them.

On Google Cloud a machine type has a quota in GPUs, and a second one with the prefix `PREEMPTIBLE_` for machines on spot
and those that wait for capacity; on Azure its family has one in vCPUs. Sources: catalog/machines.csv; Google Cloud
documentation, Cluster Director "Choose a consumption option".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.machines import cpu_machines, machines
from gpucluster.core.catalog.tables import read_rows

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


@dataclass(frozen=True, kw_only=True)
class QuotaKind:
    """One quota. unit: vcpus, gpus, or count for resources of a type. machines: pattern of their types.

    market: on-demand or spot, empty for both. worldwide: one for all regions. service: as the cloud's API names it.
    """

    cloud: str
    name: str
    title: str
    unit: str
    machines: str
    market: str = ""
    type: str = ""
    worldwide: bool = False
    service: str = ""

    def amount(self, demand: Demand) -> int:
        """The amount that these machines use."""
        market = ON_DEMAND if demand.market == ON_DEMAND else SPOT
        counted = demand.market != RESERVED and self.market in ("", market)
        fits = re.fullmatch(self.machines, demand.machine, re.IGNORECASE) is not None
        return demand.amount(self.unit) if counted and fits else 0


@functools.cache
def quota_kinds(cloud: str) -> Mapping[str, QuotaKind]:
    """The quotas of a cloud that the sandbox counts, by their names in lower case."""
    listed = (
        QuotaKind(
            cloud=cloud,
            name=row["name"],
            title=row["title"],
            unit=row["unit"],
            machines=row["machines"],
            market=row["market"],
            type=row["type"],
            worldwide=row["where"] == "global",
            service=row["service"],
        )
        for row in read_rows("sandbox/clouds/quotas.csv")
        if row["cloud"] == cloud
    )
    return {kind.name.lower(): kind for kind in (*listed, *_of_machines(cloud))}


def _of_machines(cloud: str) -> list[QuotaKind]:
    types: dict[str, list[str]] = {}
    for machine in machines().values():
        if machine.cloud == cloud and machine.quota:
            types.setdefault(machine.quota, []).append(re.escape(machine.machine_type))
    found: list[QuotaKind] = []
    for name, names in types.items():
        pattern, unit = "|".join(names), "gpus" if cloud == "gcp" else "vcpus"
        service = "compute.googleapis.com" if cloud == "gcp" else "Microsoft.Compute"
        markets = {"": ON_DEMAND, "PREEMPTIBLE_": SPOT} if cloud == "gcp" else {"": ON_DEMAND}
        for prefix, market in markets.items():
            kind = QuotaKind(
                cloud=cloud,
                name=f"{prefix}{name}",
                title=f"{prefix}{name}",
                unit=unit,
                machines=pattern,
                market=market,
                service=service,
            )
            found.append(kind)
    return found

"""Whether an account has quota, and a zone machines, for a resource: the scenario's limits against the ledger.

On Google Cloud a machine type has a quota in GPUs, and a second one with the prefix `PREEMPTIBLE_` for machines on spot
and those that wait for capacity; on Azure its family has one in vCPUs. Sources: catalog/machines.csv; Google Cloud
documentation, Cluster Director "Choose a consumption option".
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from types import ModuleType
from typing import Final

from gpucluster.core.catalog.clouds import cloud_of_package, module_of
from gpucluster.core.catalog.machines import cpu_machines, machines
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.resources import urn_stack
from gpucluster.sandbox.clouds.events.scenario import Capacity, Quota, Scenario
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

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


@dataclass(frozen=True, kw_only=True)
class Shortage:
    """A missing resource: a quota, or machines in a zone.

    kind: of the answer. used: by others and by existing resources. requested: by this resource. zones: of the same
    region with enough in the scenario.
    """

    kind: str
    name: str
    title: str
    limit: int
    used: int
    requested: int
    region: str
    zone: str = ""
    machine: str = ""
    count: int = 0
    unit: str = ""
    service: str = ""
    zones: tuple[str, ...] = ()

    @property
    def machines(self) -> int:
        """How many of the requested machines there are."""
        return self.count * max(0, self.limit - self.used) // self.requested

    @property
    def needed(self) -> int:
        """The required minimum of the limit."""
        return self.used + self.requested

    @property
    def values(self) -> dict[str, object]:
        """Values for a message: its fields, and derived values."""
        free, short = max(0, self.limit - self.used), self.needed - self.limit
        return {**asdict(self), "needed": self.needed, "free": free, "short": short}


def shortage(entry: Entry, scenario: Scenario, ledger: Ledger) -> Shortage | None:
    """The shortage of a created or changed resource; None if the scenario does not limit it."""
    row = cloud_of_package(entry.provider)
    if row is None:
        return None
    it = _Asking(entry, row.name, ledger)
    return next(chain(_quotas(it, scenario.quotas), _zones(it, scenario.capacity)), None)


@dataclass(frozen=True)
class _Asking:
    """A created or changed resource, among the existing ones."""

    entry: Entry
    cloud: str
    ledger: Ledger

    @cached_property
    def _module(self) -> ModuleType | None:
        return module_of(f"gpucluster.sandbox.clouds.{self.cloud}.machines")

    @cached_property
    def machines(self) -> list[Demand]:
        """The requested machines."""
        return self._machines_of(self.entry)

    @cached_property
    def taken(self) -> list[tuple[str, Demand]]:
        """The machines of the other resources, each with its stack."""
        there = self.ledger.of_types(self._module.TYPES) if self._module is not None else []
        others = (other for other in there if (other.type, other.id) != (self.entry.type, self.entry.id))
        return [
            (urn_stack(other.urn), replace(one, count=other.started(one.count)))
            for other in others
            for one in self._machines_of(other)
        ]

    def _machines_of(self, entry: Entry) -> list[Demand]:
        return list(self._module.demand(entry, self.ledger)) if self._module is not None else []


def _quotas(it: _Asking, quotas: Sequence[Quota]) -> Iterator[Shortage]:
    for quota in quotas:
        kind = quota_kinds(it.cloud).get(quota.name.lower())
        if quota.cloud != it.cloud or kind is None:
            continue
        wants = _count(it.entry, kind, quota) if kind.type else _sum(kind, quota, it.machines)
        if not wants:
            continue
        total = Counter({urn_stack(it.entry.urn): wants})
        if kind.type:
            for one in it.ledger.of_types({kind.type}):
                total[urn_stack(one.urn)] += _count(one, kind, quota) if one.id != it.entry.id else 0
        else:
            for stack, one in it.taken:
                total[stack] += _sum(kind, quota, [one])
        # Of a stack that the account has too, only what is new here.
        here = sum(max(0, amount - quota.stacks.get(stack, 0)) for stack, amount in total.items())
        if quota.usage + here > quota.limit:
            yield _too_much(quota, kind, quota.usage + here - wants, wants, it.machines)


def _count(entry: Entry, kind: QuotaKind, quota: Quota) -> int:
    return int(entry.type == kind.type and (kind.worldwide or entry.scope == quota.region))


def _sum(kind: QuotaKind, quota: Quota, demands: list[Demand]) -> int:
    return sum(kind.amount(one) for one in demands if kind.worldwide or one.region == quota.region)


def _too_much(quota: Quota, kind: QuotaKind, used: int, wants: int, requested: list[Demand]) -> Shortage:
    machine = next((one for one in requested if kind.amount(one)), None) if not kind.type else None
    return Shortage(
        kind=_answer_kind(kind),
        name=kind.name,
        title=kind.title,
        limit=quota.limit,
        used=used,
        requested=wants,
        region=quota.region,
        machine=machine.machine if machine is not None else "",
        count=machine.count if machine is not None else 0,
        unit="" if kind.type else {"vcpus": "vCPUs", "gpus": "GPUs"}[kind.unit],
        service=kind.service,
    )


def _answer_kind(kind: QuotaKind) -> str:
    if kind.type:
        return "count"
    if kind.worldwide:
        return "global-quota"
    return "spot-quota" if (kind.cloud, kind.market) == ("aws", SPOT) else "quota"


def _zones(it: _Asking, capacity: Sequence[Capacity]) -> Iterator[Shortage]:
    rows = [row for row in capacity if row.cloud == it.cloud]
    for one in it.machines:
        for row in rows:
            wants = _in_zone(row, one)
            taken = sum(_in_zone(row, other) for _, other in it.taken) if wants else 0
            if taken + wants > row.available:
                enough = (at.zone for at in rows if at.machine == row.machine and at.available >= wants)
                yield Shortage(
                    kind="capacity",
                    name=row.machine,
                    title=row.machine,
                    limit=row.available,
                    used=taken,
                    requested=wants,
                    region=one.region,
                    zone=row.zone,
                    machine=row.machine,
                    count=wants,
                    zones=tuple(zone for zone in enough if zone != row.zone),
                )


def _in_zone(row: Capacity, one: Demand) -> int:
    here = one.machine.lower() == row.machine.lower() and row.region in ("", one.region)
    return one.in_zone(row.zone) if here and one.market not in (RESERVED, WAITING) else 0

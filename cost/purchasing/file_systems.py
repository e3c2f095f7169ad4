"""A parallel file system, as read by the advice on its size."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost.prices import Price, PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.cloud_parts import part_of
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from gpucluster.cost.pricing.plan_prices import storage_name
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing
from gpucluster.cost.purchasing.advice import Advice, Input


@dataclass(frozen=True)
class FileSystem:
    """A file system of a stack."""

    resource: Resource
    provider: str
    region: str
    gib: Decimal
    tier: int
    efa: bool


_HEADROOM: Final = Decimal("1.25")
"""Lustre gets slow above 80 % full, so buy 25 % more than the data (a practitioner's chapter on GPU clouds)."""

_GIB_PER_TIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Need:
    """The storage requirement: TiB of data, additional headroom, total GB/s, and its origin."""

    usable_tib: Decimal
    headroom: Decimal
    gb_per_s: Decimal
    source: str

    @property
    def gib(self) -> Decimal:
        """GiB to provision."""
        return self.usable_tib * _GIB_PER_TIB * self.headroom


@dataclass(frozen=True, slots=True)
class Step:
    """A tier as sold: MB/s per TiB (as its cloud counts it), and its capacities in GiB."""

    provider: str
    tier: int
    efa: bool
    least: Decimal
    step: Decimal
    threshold: Decimal | None
    large_step: Decimal
    most: Decimal | None
    gib_per_tib: Decimal

    def capacity(self, gib: Decimal) -> Decimal | None:
        """The smallest capacity for sale that holds so much, None if none does."""
        if gib <= self.least:
            return self.least
        step = self.step if self.threshold is None or gib <= self.threshold else self.large_step
        found = (gib / step).to_integral_value(ROUND_CEILING) * step
        return None if self.most is not None and found > self.most else found

    def gb_per_s(self, gib: Decimal) -> Decimal:
        """Throughput of a capacity in GB/s."""
        return gib / self.gib_per_tib * self.tier / 1000

    def for_need(self, need: Need) -> Decimal | None:
        """The smallest capacity that holds the data and reaches the throughput."""
        fast = need.gb_per_s * 1000 / self.tier * self.gib_per_tib
        return self.capacity(max(need.gib, fast))


def steps_of(provider: str, *, efa: bool = False) -> Sequence[Step]:
    """The tiers of a cloud, slowest first."""
    return [step for step in _steps() if (step.provider, step.efa) == (provider, efa)]


def lustre_advice(resources: Resources, book: PriceBook, asked: Need | None) -> Iterator[Advice]:
    """Advice on every file system of the stack. asked: the user's need, which overrides the one components state."""
    for system in _systems(resources, book):
        need = asked or _stated(system.resource, resources)
        sold = steps_of(system.provider, efa=system.efa)
        own = next((step for step in sold if step.tier == system.tier), None)
        rate = _rate(book, system, system.tier)
        if need is None or own is None or rate is None:
            continue
        yield from _wasted(system, need, rate)
        yield from _cheaper(system, need, sold, book, rate)


def _wasted(system: FileSystem, need: Need, rate: Price) -> Iterator[Advice]:
    """Capacity beyond the need, caused by the size of a step or by a throughput that depends on capacity."""
    over = system.gib - need.gib
    if over <= 0:
        return
    usd = cents(over * rate.usd)
    yield Advice(
        "storage-step",
        system.resource.name,
        f"{system.gib:,f} GiB are provisioned; {need.usable_tib:f} TiB of data need {need.gib.normalize():,f} with "
        f"headroom. The other {over.normalize():,f} GiB ({over / _GIB_PER_TIB:.1f} TiB), {money(usd)} a month, result "
        "from the size steps and the throughput; data can fill them at no extra cost",
        None,
        (*_inputs(system, need), _price_input(rate, system.tier)),
    )


def _cheaper(system: FileSystem, need: Need, sold: Sequence[Step], book: PriceBook, rate: Price) -> Iterator[Advice]:
    """The cheapest tier and size that meet the need, if different from the current one."""
    now = cents(system.gib * rate.usd)
    best: tuple[Decimal, Step, Decimal, Price] | None = None
    for step in sold:
        gib, price = step.for_need(need), _rate(book, system, step.tier)
        if gib is None or price is None or not price.rankable or not rate.rankable:
            continue
        monthly = cents(gib * price.usd)
        if monthly < now and (best is None or monthly < best[0]):
            best = (monthly, step, gib, price)
    if best is None:
        return
    monthly, step, gib, price = best
    yield Advice(
        "storage-tier",
        system.resource.name,
        f"{gib:,f} GiB at {step.tier} MB/s per TiB meet the same need for {money(monthly)} a month, "
        f"{money(now - monthly)} less than {system.gib:,f} GiB at {system.tier}; changing an existing file system "
        "replaces it",
        now - monthly,
        (*_inputs(system, need), _price_input(rate, system.tier), Input("GiB instead", gib, "size steps"),
         _price_input(price, step.tier)),
    )  # fmt: skip


def _inputs(system: FileSystem, need: Need) -> tuple[Input, ...]:
    return (
        Input("GiB provisioned", system.gib, "the plan"),
        Input("TiB of data", need.usable_tib, need.source),
        Input("headroom", need.headroom, need.source),
        Input("GB/s", need.gb_per_s, need.source),
    )


def _price_input(price: Price, tier: int) -> Input:
    source = f"{price.row.document}, {price.row.as_of} ({price.confidence})"
    return Input(f"USD a GiB-month at {tier} MB/s per TiB", price.usd, source)


def _rate(book: PriceBook, system: FileSystem, tier: int) -> Price | None:
    name = storage_name(system.provider, tier)
    found = None if name is None else book.lookup(system.provider, system.region, name, unit="GiB-month")
    return found if isinstance(found, Price) else None


def _stated(resource: Resource, resources: Resources) -> Need | None:
    """The need that a component around the file system states as `storageAsked`."""
    by_urn = {each.component.urn: each for each in read_registered_facts(resources) if "storageAsked" in each.names}
    found = next((by_urn[parent.urn] for parent in resources.parents(resource) if parent.urn in by_urn), None)
    asked = None if found is None else found.facts.storage_asked
    if found is None or asked is None:
        return None
    headroom = _HEADROOM if asked.headroom is None else asked.headroom
    return Need(asked.usable_tib, headroom, asked.gb_per_s, f"storageAsked of {found.component.name}")


def asked_need(usable_tib: Decimal, gb_per_s: Decimal) -> Need:
    """The need that a user states."""
    return Need(usable_tib, _HEADROOM, gb_per_s, "--usable-tib and --gb-per-s")


def _systems(resources: Resources, book: PriceBook) -> Iterator[FileSystem]:
    """The file systems with known size, tier and location."""
    for type_, read in _readers().items():
        for resource in resources.of_type(type_):
            item = Pricing(
                urn=resource.urn, resource=resource, resources=resources, book=book, assumptions=Assumptions(),
                part="", provider="", guesses=set(),
            )  # fmt: skip
            try:
                found = read(item)
            except CannotPrice:  # the report lists it
                continue
            if found is not None:
                yield found


@cache
def _readers() -> Mapping[str, Callable[[Pricing], FileSystem | None]]:
    """FILE_SYSTEMS of every cloud."""
    found: dict[str, Callable[[Pricing], FileSystem | None]] = {}
    for cloud in clouds():
        found |= part_of(cloud, "FILE_SYSTEMS") or {}
    return found


@cache
def _steps() -> tuple[Step, ...]:
    with (Path(__file__).parent / "lustre_steps.csv").open(newline="", encoding="utf-8") as file:
        return tuple(_step(row) for row in csv.DictReader(file))


def _step(row: dict[str, Any]) -> Step:
    def number(name: str) -> Decimal | None:
        return Decimal(row[name]) if row[name] else None

    return Step(
        row["provider"],
        int(row["tier"]),
        row["efa"] == "yes",
        Decimal(row["least_gib"]),
        Decimal(row["step_gib"]),
        number("threshold_gib"),
        number("large_step_gib") or Decimal(row["step_gib"]),
        number("most_gib"),
        Decimal(row["gib_per_tib"]),
    )

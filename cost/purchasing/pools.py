"""The GPU machines of a stack as pools with interchangeable purchase options, and the cost of everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import Resources, urn_type
from gpucluster.cost.estimate.estimate import Estimate, estimate, running_hours
from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Amounts, CostLine, Count
from gpucluster.cost.rates import reservation_types


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """GPU machines that are bought together.

    count: expected, minimum and maximum machines. purchase: the plan's purchase option. training: whether training jobs
    run on them. reservation: whether the stack itself reserves this capacity. hours: running hours of a machine per
    month, which commitments and capacity held all month do not shorten.
    """

    urn: str
    name: str
    part: str
    training: bool
    provider: str
    region: str
    machine: str
    count: Count
    purchase: str
    lines: tuple[CostLine, ...]
    reservation: bool = False
    hours: Decimal = HOURS_PER_MONTH

    @property
    def gang(self) -> bool:
        """Whether its machines are co-located and work as one, and so have a single purchase option."""
        return self.training and not self.count.varies

    @property
    def gpus(self) -> Decimal:
        """GPUs of the expected machines."""
        return self.count.expected * machines()[self.machine].gpus


@dataclass(frozen=True, slots=True)
class Held:
    """Machines in named capacity bought outside the stack: equal, and included, in every purchase option."""

    line: CostLine
    name: str


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A stack by its pools. estimate: at its own prices, with 0 for an unpriced pool."""

    estimate: Estimate
    pools: tuple[Pool, ...]
    held: tuple[Held, ...]

    def rest(self, pool: Pool) -> Amounts:
        """USD per month of everything except the machines of one pool: the total, computed once, minus the pool."""
        limited, unlimited = self._limits
        own, own_unlimited = _limits(pool.lines)
        ceiling = "unbounded" if unlimited > own_unlimited else limited - own
        whole, part = self.estimate.monthly, Amounts.of(pool.lines)
        return Amounts(whole.floor - part.floor, whole.expected - part.expected, ceiling)

    def training_rest(self, pool: Pool) -> Decimal:
        """USD per month that counts into a training GPU-hour, without the machines of one pool."""
        own = sum((line.monthly for line in pool.lines), Decimal(0)) if pool.training else Decimal(0)
        return self.estimate.training_monthly - own

    def gap_without(self, pool: Pool) -> Gap:
        """The gap of everything except the machines of one pool."""
        machines = self._unpriced - _unpriced(pool.lines)
        return Gap.sum([self.estimate.gaps.expected, Gap(machines, machines)])

    @cached_property
    def _limits(self) -> tuple[Decimal, int]:
        return _limits(self.estimate.lines)

    @cached_property
    def _unpriced(self) -> int:
        return _unpriced(self.estimate.lines)


def stack_of(resources: Resources, book: PriceBook, assumptions: Assumptions) -> Stack:
    """The pools of a stack, most expensive first, including those whose own purchase option has no price."""
    found = estimate(resources, _Whole(book), assumptions)
    training = {part.name for part in found.parts if part.training}
    return Stack(
        estimate=found,
        pools=tuple(_pools(found, training)),
        held=tuple(Held(line, found.names.get(line.urn, "")) for line in found.lines if _held(line)),
    )


def _pools(found: Estimate, training: set[str]) -> Iterator[Pool]:
    by_pool: dict[tuple[str, str], list[CostLine]] = {}
    for line in found.lines:
        if line.unit == "instance-hour" and line.sku in machines() and line.spend == "new" and not line.paid_by:
            by_pool.setdefault((line.urn, line.sku), []).append(line)
    for (urn, machine), lines in by_pool.items():
        first = lines[0]
        yield Pool(
            urn=urn,
            name=found.names.get(urn, ""),
            part=first.part,
            training=first.part in training,
            provider=first.provider,
            region=first.region,
            machine=machine,
            count=_count(lines),
            purchase=first.purchase,
            lines=tuple(lines),
            hours=running_hours(lines),
            reservation=urn_type(urn) in reservation_types(),
        )


def _count(lines: Sequence[CostLine]) -> Count:
    ceiling: Decimal | str = Decimal(0)
    for line in lines:
        ceiling = (
            "unbounded"
            if isinstance(ceiling, str) or isinstance(line.ceiling, str)
            else ceiling + line.machines_of(line.ceiling)
        )
    return Count(
        sum((line.machines for line in lines), Decimal(0)),
        sum((line.machines_of(line.floor) for line in lines), Decimal(0)),
        ceiling,
    )


def _held(line: CostLine) -> bool:
    return line.spend == "committed-elsewhere" or bool(line.paid_by)


def _unpriced(lines: Sequence[CostLine]) -> int:
    """Number of unpriced lines."""
    return sum(not line.source for line in lines)


def _limits(lines: Sequence[CostLine]) -> tuple[Decimal, int]:
    """(maximum USD per month of limited lines, number of lines without a limit)."""
    most = [line.monthly_ceiling for line in lines]
    limited = [amount for amount in most if not isinstance(amount, str)]
    return sum(limited, Decimal(0)), len(most) - len(limited)


class _Whole(PriceBook):
    """A book with a price for every GPU machine: unpriced ones cost 0 and have no source.

    The number of machines must be known even if their own purchase option has no price: another one may have a price.
    """

    def __init__(self, book: PriceBook) -> None:
        super().__init__(today=book.today, folder=book.folder)
        self._book = book
        self.own = book.own

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        found = self._book.lookup(provider, region, sku, purchase, term, unit=unit)
        if isinstance(found, Price) or sku not in machines() or unit != "instance-hour":
            return found
        row = PriceRow(
            provider=provider,
            region=region,
            sku=sku,
            kind="compute",
            unit=unit,
            purchase=purchase,
            term=term,
            usd_per_unit=Decimal(0),
            as_of="",
            source="",
            note="",
            basis="third-party",
        )
        return Price(row, "low", rankable=False)

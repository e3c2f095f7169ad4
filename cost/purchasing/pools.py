"""The GPU machines of a stack as pools that may be bought in another way, and what the rest of the stack costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from gpucluster.catalog.machines import machines
from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.estimate import Estimate, estimate
from gpucluster.cost.gap import Gap
from gpucluster.cost.model import HOURS_PER_MONTH, Amounts, CostLine, Count
from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow
from gpucluster.cost.rates import reservation_types
from gpucluster.program.resources import Resources, urn_type


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """GPU machines that are bought together.

    count: machines as expected, at the least, at the most. purchase: how the plan buys them. training: whether training
    jobs run on them. reservation: whether it is capacity that the stack itself reserves.
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

    @property
    def gang(self) -> bool:
        """Whether its machines stand close to each other and work as one, and so have one kind of purchase."""
        return self.training and not self.count.varies

    @property
    def gpus(self) -> Decimal:
        """GPUs of the expected machines."""
        return self.count.expected * machines()[self.machine].gpus


@dataclass(frozen=True, slots=True)
class Held:
    """Machines in capacity that is bought elsewhere, by its name: the same, and in the amount, of every way to buy."""

    line: CostLine
    name: str


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A stack by its pools. estimate: at its own prices, where a pool without a price counts 0."""

    estimate: Estimate
    pools: tuple[Pool, ...]
    held: tuple[Held, ...]

    def rest(self, pool: Pool) -> Amounts:
        """USD a month of everything but the machines of one pool: what is left of the whole, which is summed once."""
        limited, unlimited = self._limits
        own, own_unlimited = _limits(pool.lines)
        ceiling = "unbounded" if unlimited > own_unlimited else limited - own
        whole, mine = self.estimate.monthly, Amounts.of(pool.lines)
        return Amounts(whole.floor - mine.floor, whole.expected - mine.expected, ceiling)

    def training_rest(self, pool: Pool) -> Decimal:
        """USD a month that count into a training GPU-hour, without the machines of one pool."""
        own = sum((line.monthly for line in pool.lines), Decimal(0)) if pool.training else Decimal(0)
        return self.estimate.training_monthly - own

    def gap_without(self, pool: Pool) -> Gap:
        """What everything but the machines of one pool lacks because it has no price."""
        machines = self._unpriced - _unpriced(pool.lines)
        return Gap.sum([self.estimate.gaps.expected, Gap(machines, machines)])

    @cached_property
    def _limits(self) -> tuple[Decimal, int]:
        return _limits(self.estimate.lines)

    @cached_property
    def _unpriced(self) -> int:
        return _unpriced(self.estimate.lines)


def stack_of(resources: Resources, book: PriceBook, assumptions: Assumptions) -> Stack:
    """The pools of a stack, the dearest first, also those whose own way to buy has no price."""
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
            reservation=urn_type(urn) in reservation_types(),
        )


def _count(lines: Sequence[CostLine]) -> Count:
    ceiling: Decimal | str = Decimal(0)
    for line in lines:
        ceiling = "unbounded" if isinstance(ceiling, str) or isinstance(line.ceiling, str) else ceiling + line.ceiling
    return Count(
        sum((line.quantity for line in lines), Decimal(0)) / HOURS_PER_MONTH,
        sum((line.floor for line in lines), Decimal(0)) / HOURS_PER_MONTH,
        "unbounded" if isinstance(ceiling, str) else ceiling / HOURS_PER_MONTH,
    )


def _held(line: CostLine) -> bool:
    return line.spend == "committed-elsewhere" or bool(line.paid_by)


def _unpriced(lines: Sequence[CostLine]) -> int:
    """How many have no price."""
    return sum(not line.source for line in lines)


def _limits(lines: Sequence[CostLine]) -> tuple[Decimal, int]:
    """(USD a month at the most of what has a limit, how many lines have none)."""
    most = [line.monthly_ceiling for line in lines]
    limited = [amount for amount in most if not isinstance(amount, str)]
    return sum(limited, Decimal(0)), len(most) - len(limited)


class _Whole(PriceBook):
    """A book that knows every GPU machine: one without a price costs 0 there and has no source.

    The number of machines has to be known where their own way to buy has no price: another way may have one.
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

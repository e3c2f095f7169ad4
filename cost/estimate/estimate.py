"""Prices every resource of a stack: lines by component, free resources, unpriced resources and totals."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resources
from gpucluster.cost.estimate.outcomes import outcomes, place_unread
from gpucluster.cost.estimate.stack_facts import StackFacts, stack_facts
from gpucluster.cost.handlers.registry import handler_for
from gpucluster.cost.prices import Confidence, PriceBook, PriceRow
from gpucluster.cost.prices.row import is_fresh
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.bounds import Gaps
from gpucluster.cost.pricing.inputs import recorded
from gpucluster.cost.pricing.model import (
    HOURS_PER_MONTH,
    Amounts,
    CostLine,
    Free,
    NotConsidered,
    NotPriced,
    Part,
    Parts,
    Unbounded,
    cents,
    committed_sum,
)
from gpucluster.cost.pricing.pricing import provider_of
from gpucluster.cost.pricing.terms import effective_terms
from gpucluster.cost.rates import compute_types

COMPUTE_TYPES: Final = compute_types()
"""Types billed as machine hours."""

_PROVIDER_PREFIX: Final = "pulumi:"


@dataclass(frozen=True)
class Coverage:
    """Numbers of priced, free and unpriced resources, without providers, and without components of known parts.

    both: resources priced in part only, such as a machine with an unpriced disk. They count as priced and unpriced.
    """

    priced: int
    free: int
    not_priced: int
    both: int = 0

    @property
    def resources(self) -> int:
        """All of them, each counted once."""
        return self.priced + self.free + self.not_priced - self.both


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The cost of a stack.

    parts: lines grouped by the nearest component, most expensive first, independent of the order of resources, which
        the engine changes from run to run.
    facts: facts that components registered.
    names: URN -> logical name, for rendering.
    terms: cloud -> terms of its account in use; empty if list prices without support are shown.
    idle_prices: user's price rows for a cloud of this stack that priced nothing in it.
    elastic_parts: names of the parts excluded from the price of a training GPU-hour.
    guesses: assumptions that belong to no single line.
    today: the date for judging the age of prices.
    not_considered: inputs that are set and that the amounts do not depend on, by type.
    """

    parts: tuple[Part, ...]
    free: tuple[Free, ...]
    not_priced: tuple[NotPriced, ...]
    coverage: Coverage
    facts: StackFacts
    names: Mapping[str, str]
    idle_prices: tuple[PriceRow, ...] = ()
    elastic_parts: frozenset[str] = frozenset()
    guesses: tuple[str, ...] = ()
    terms: Mapping[str, Terms] = field(default_factory=dict[str, Terms])
    today: datetime.date = field(default_factory=datetime.date.today)
    not_considered: tuple[NotConsidered, ...] = ()

    @cached_property
    def lines(self) -> tuple[CostLine, ...]:
        """Every line, by part."""
        return tuple(line for part in self.parts for line in part.lines)

    @cached_property
    def monthly(self) -> Amounts:
        """USD per month of priced items; `gaps` bounds the rest."""
        return Amounts.of(self.lines)

    @property
    def listed(self) -> Decimal:
        """USD per month before discounts."""
        return sum((line.listed for line in self.lines), Decimal(0))

    @property
    def complete(self) -> bool:
        """Whether every resource is priced or free. If not, `gaps` bounds what the total lacks."""
        return not self.not_priced

    @cached_property
    def gaps(self) -> Gaps:
        """The amount each total lacks because of unpriced items."""
        facts = self.facts
        return Gaps(self.not_priced, facts.duration_days, facts.training_gpus, self.elastic_parts, self.training_hours)

    @cached_property
    def unpriced_compute(self) -> tuple[NotPriced, ...]:
        """Machines without a price: the missing amount may exceed the whole priced amount."""
        priced = {line.urn for line in self.lines if line.unit == "instance-hour"}
        return tuple(
            item for item in self.not_priced if item.compute or (item.type in COMPUTE_TYPES and item.urn not in priced)
        )

    @cached_property
    def unpriced_parts(self) -> frozenset[str]:
        """Names of the parts with unpriced items."""
        return frozenset(item.part for item in self.not_priced)

    @property
    def hourly(self) -> Amounts:
        """USD per hour, to the cent."""
        monthly = self.monthly
        ceiling = monthly.ceiling
        return Amounts(
            cents(monthly.floor / HOURS_PER_MONTH),
            cents(monthly.expected / HOURS_PER_MONTH),
            ceiling if isinstance(ceiling, str) else cents(ceiling / HOURS_PER_MONTH),
        )

    @cached_property
    def training_monthly(self) -> Decimal:
        """USD per month of training, including spares, storage, network and control plane, without elastic pools."""
        return sum((part.monthly.expected for part in self.parts if part.training), Decimal(0))

    @cached_property
    def training_hours(self) -> Decimal:
        """Hours per month that the GPU machines of training run: the mean by machine, if assumptions differ."""
        return running_hours(
            [line for part in self.parts if part.training for line in part.lines]
            + [item.between.least for item in self.not_priced if item.between and item.part not in self.elastic_parts]
        )

    @property
    def per_training_gpu_hour(self) -> Decimal | None:
        """USD per running hour of one GPU available to training jobs, to the cent; None if no component states their
        number, or if they never run.
        """
        hours = self.training_hours * (self.facts.training_gpus or 0)
        return cents(self.training_monthly / hours) if hours else None

    @property
    def per_slice_hour(self) -> dict[str, dict[str, Decimal]]:
        """Part -> size of a MIG slice -> USD per running hour of one slice, to the cent; only for fully priced parts.

        GPU capacity that no slice uses is included in the price of the slices.
        """
        found: dict[str, dict[str, Decimal]] = {}
        for part in self.parts:
            slices = self.facts.slices.get(part.name, ())
            hours = running_hours(part.lines) * sum((each.count * each.eighths for each in slices), Decimal(0))
            if hours and part.name not in self.unpriced_parts:
                hour = part.monthly.expected / hours
                found[part.name] = {each.size: cents(hour * each.eighths) for each in slices}
        return found

    @property
    def training_unknown(self) -> bool:
        """Whether some machines have neither price nor bound and none has a price: nothing is known of a GPU-hour."""
        lines = (line for part in self.parts if part.training for line in part.lines)
        machines = any(line.unit == "instance-hour" and not line.paid_by for line in lines)
        return any(item.between is None for item in self.unpriced_compute) and not machines

    @property
    def trial_total(self) -> Decimal | None:
        """Expected USD for the stated duration, to the cent, including upfront payments; None if no duration is
        stated.
        """
        days = self.facts.duration_days
        return None if days is None else self.cost_of(days)

    def cost_of(self, days: Decimal) -> Decimal:
        """Expected USD for so many days, to the cent, including upfront payments."""
        return for_days(self.lines, self.monthly.expected, days)

    @property
    def trial_ceiling(self) -> Decimal | Unbounded | None:
        """Maximum USD for the stated duration."""
        days, ceiling = self.facts.duration_days, self.monthly.ceiling
        if days is None or isinstance(ceiling, str):
            return None if days is None else "unbounded"
        return for_days(self.lines, ceiling, days)

    @property
    def committed_monthly(self) -> Decimal:
        """USD per month of capacity bought outside the stack; included in the total."""
        return committed_sum(self.lines)

    @property
    def upfront(self) -> Decimal:
        """USD of capacity block fees for the stated duration; included in the trial's total."""
        return sum((line.upfront for line in self.lines), Decimal(0))

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions, each once; usage assumed to be zero is shown with its price instead."""
        found = dict.fromkeys(line.assumption for line in self.lines if line.assumption and not line.by_usage)
        return (*self.guesses, *found, *self.facts.ignored)

    @property
    def price_dates(self) -> tuple[str, str] | None:
        """Oldest and newest date of the prices that affect the total; None without any."""
        dates = sorted(line.as_of for line in self.lines if line.as_of and (line.monthly or line.autoscaled))
        return (dates[0], dates[-1]) if dates else None

    @property
    def fresh_share(self) -> Decimal | None:
        """Share of the expected dollars whose prices are at most 90 days old, or the user's own; None without any."""
        total = self.monthly.expected
        fresh = (line.monthly for line in self.lines if not line.as_of or is_fresh(line.as_of, self.today))
        return sum(fresh, Decimal(0)) / total if total else None

    @cached_property
    def by_confidence(self) -> dict[Confidence, Decimal]:
        """Expected USD per month by confidence of the price."""
        shares: dict[Confidence, Decimal] = {"high": Decimal(0), "medium": Decimal(0), "low": Decimal(0)}
        for line in self.lines:
            shares[line.confidence] += line.monthly
        return shares


def estimate(resources: Resources, book: PriceBook | None = None, assumptions: Assumptions | None = None) -> Estimate:
    """The cost of every resource, with a reason for each unpriced one.

    book: default is the book in use. Raises only BadPrices, if the user's own prices cannot be used, and
        DamagedTable, of which DamagedBook is a subclass.
    """
    book = book or PriceBook.in_use()
    assumptions = assumptions or Assumptions()
    facts = stack_facts(resources)
    terms = effective_terms(facts.terms, assumptions.terms)
    paid = _discounted(book, terms) if terms else book
    parts = Parts(resources, facts.outside_training)
    free: list[Free] = []
    not_priced: list[NotPriced] = []
    seen = 0
    guesses: set[str] = set()
    of_inputs = recorded(resources)
    for resource in of_inputs:
        if resource.type.startswith(_PROVIDER_PREFIX):
            continue
        if not resource.custom and handler_for(resource.type) is None and not resources.hides_parts(resource):
            continue  # a component; with a handler, its children may not be visible
        part, lines = parts.place(resource)
        seen += 1
        for outcome in outcomes(resource, of_inputs, paid, assumptions, part, facts.duration_days, guesses):
            if isinstance(outcome, CostLine):
                lines.append(outcome)
            elif isinstance(outcome, NotPriced):
                not_priced.append(outcome)
            else:
                free.append(outcome)
    not_considered = place_unread(of_inputs, parts, not_priced)
    priced, missing = parts.urns(), {item.urn for item in not_priced}
    done = parts.done()
    support = _support(resources.stack, done, terms, book) if terms else []
    not_priced += [fee for fee in support if isinstance(fee, NotPriced)]
    if fees := [fee for fee in support if isinstance(fee, CostLine)]:
        done = (*done, Part(fees[0].part, tuple(fees), training=False))
    return Estimate(
        parts=done,
        free=tuple(free),
        not_priced=tuple(not_priced),
        coverage=Coverage(len(priced), seen - len(priced | missing), len(missing), len(priced & missing)),
        facts=facts,
        names={
            **{resource.urn: resource.name for resource in resources},
            **{line.urn: line.sku for fee in support if (line := _line_of(fee)) is not None},
        },
        terms=terms,
        idle_prices=_idle(book, resources, done) if book.own else (),
        elastic_parts=parts.elastic,
        guesses=tuple(sorted(guesses)),
        today=book.today,
        not_considered=not_considered,
    )


def _line_of(fee: CostLine | NotPriced) -> CostLine | None:
    if isinstance(fee, CostLine):
        return fee
    return None if fee.between is None else fee.between.most


def for_days(lines: Iterable[CostLine], monthly: Decimal, days: Decimal) -> Decimal:
    """The monthly USD of lines for so many days, to the cent; an upfront fee counts in full, as billed."""
    prepaid = [line for line in lines if line.upfront]
    running = monthly - sum((line.monthly for line in prepaid), Decimal(0))
    return cents(running * days * 24 / HOURS_PER_MONTH) + sum((line.upfront for line in prepaid), Decimal(0))


def running_hours(lines: Iterable[CostLine]) -> Decimal:
    """Hours per month that the GPU machines of these lines run: the mean by machine; a whole month without any."""
    gpus = [line for line in lines if line.unit == "instance-hour" and line.sku in machines()]
    count = sum((line.machines for line in gpus), Decimal(0))
    if not count:
        return min((line.running for line in gpus), default=HOURS_PER_MONTH)
    return sum((line.machines * line.running for line in gpus), Decimal(0)) / count


def _discounted(book: PriceBook, terms: Mapping[str, Terms]) -> PriceBook:
    from gpucluster.cost.pricing.terms import DiscountedBook  # rarely needed, and slow to import

    shares = {cloud: agreed.discount for cloud, agreed in terms.items() if agreed.discount}
    return DiscountedBook(book, shares) if shares else book


def _support(
    stack: str, parts: Sequence[Part], terms: Mapping[str, Terms], book: PriceBook
) -> list[CostLine | NotPriced]:
    from gpucluster.cost.pricing.terms import support_lines  # as above

    return list(support_lines(stack, [line for part in parts for line in part.lines], terms, book))


def _idle(book: PriceBook, resources: Resources, parts: Sequence[Part]) -> tuple[PriceRow, ...]:
    """User's price rows that no line uses, for clouds with resources in the stack."""
    clouds = {provider_of(resource.type) for resource in resources}
    used = {line.source for part in parts for line in part.lines}
    return tuple(row for row in book.own if row.provider in clouds and row.source not in used)

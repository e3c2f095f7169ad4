"""Answers to a question: whole clusters with their cost for the requested duration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from gpucluster.core.catalog.machines import hard_to_get
from gpucluster.core.program.facts import Terms
from gpucluster.cost.comparison.offers import Offer, offers_of
from gpucluster.cost.estimate.estimate import Estimate, estimate, for_days
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import CostLine, cents
from gpucluster.cost.pricing.money import money
from gpucluster.operate.quote.candidates import Candidate, Refusal, candidates
from gpucluster.operate.quote.declaration_cache import Views
from gpucluster.operate.quote.question import Question
from gpucluster.operate.quote.racks import RackOffer, rack_offers
from gpucluster.operate.quote.spec_values import terms_values


@dataclass(frozen=True, kw_only=True)
class Quote:
    """One candidate and its estimate. hours: requested. terms: agreed with its cloud, None without any."""

    candidate: Candidate
    estimate: Estimate
    hours: int
    gpus: int
    terms: Terms | None = None

    @property
    def spec(self) -> dict[str, Any]:
        """The values of its spec, including the terms, so that a preview applies them too."""
        values, agreed = self.candidate.values, self.terms
        return values if agreed is None else {**values, "terms": {self.candidate.cloud: terms_values(agreed)}}

    @property
    def total(self) -> Decimal:
        """USD of priced items for the requested duration, as in the preview's own line; `gap` bounds the rest."""
        found = self.estimate.trial_total
        assert found is not None, "a spec of a quote has a duration"
        return found

    @property
    def gap(self) -> Gap:
        """The gap of the total."""
        return self.estimate.gaps.trial

    @property
    def most(self) -> Decimal:
        """The upper bound of the total, without items that have no bound."""
        most = self.gap.most
        return self.total if isinstance(most, str) else self.total + most

    @property
    def most_monthly(self) -> Decimal:
        """The upper bound of USD per month, without items that have no bound."""
        monthly, most = self.estimate.monthly.expected, self.estimate.gaps.expected.most
        return monthly if isinstance(most, str) else monthly + most

    @property
    def per_gpu_hour(self) -> Decimal:
        """USD per requested GPU-hour, including the whole cluster, to the cent."""
        return cents(self.total / self.gpus / self.hours)

    @property
    def high(self) -> Decimal:
        """Share of the monthly dollars, at the upper bound, with high price confidence; rounded down, so that 1 means
        all of them.
        """
        most = self.most_monthly
        share = self.estimate.by_confidence["high"] / most if most else Decimal(0)
        return share.quantize(Decimal("0.001"), rounding=ROUND_FLOOR)

    @property
    def machine_bound(self) -> str:
        """The rule that bounds the price of its machines, empty if they have one."""
        rules = [item.between.rule for item in self.estimate.not_priced if item.between and self._of(item.between.most)]
        return next(iter(rules), "")

    @property
    def machines(self) -> list[CostLine]:
        """The lines of its machines, including bounded ones at the upper bound."""
        bounded = (item.between.most for item in self.estimate.not_priced if item.between)
        return [line for line in (*self.estimate.lines, *bounded) if self._of(line)]

    @property
    def without_spares(self) -> Decimal | None:
        """The total without the spare machines; their disks and support stay.

        None without spares, for a block, which is sold in sizes, and for machines whose price is bounded.
        """
        training = self.candidate.plan.training
        days = self.estimate.facts.duration_days
        if not training.spares or self.block or self.machine_bound or days is None:
            return None
        share = Decimal(training.spares) / (training.nodes + training.spares)
        return self.total - for_days([], sum((line.monthly for line in self.machines), Decimal(0)) * share, days)

    @property
    def block(self) -> CostLine | None:
        """The line of its capacity block, None if it is bought otherwise."""
        return next((line for line in self.machines if line.upfront), None)

    @property
    def machine_prices(self) -> list[tuple[str, str]]:
        """Date and source of each price of its machines, oldest first; none of machines that a reservation pays for."""
        return sorted({(line.as_of, line.source) for line in self.machines if line.unit_price})

    def _of(self, line: CostLine) -> bool:
        return (line.unit, line.sku) == ("instance-hour", self.candidate.machine.machine_type)

    @property
    def listed(self) -> str:
        """The evidence that the machine is sold there."""
        zones = self.candidate.listed
        return f"listed in {', '.join(zones)}" if zones else "its region has a price or is listed; zones are unknown"

    @property
    def hard_to_get(self) -> str:
        """Known obstacles to getting the machines by this option, empty without any."""
        on_demand = self.candidate.way.kind == "on-demand" and not self.candidate.way.reservation
        return hard_to_get(self.candidate.machine.machine_type, "on_demand") if on_demand else ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """quotes: ordered by the upper bounds of their totals, of equal ones first that with a price of its machines; those
    without a bound come last.

    refused: number of places excluded by each reason. places: machines by region that were considered. least_over: the
    lowest total over the budget, None without one. offers: GPUs by the hour of other providers, the cheapest of each.
    racks: sold whole, without a cluster.
    """

    question: Question
    quotes: tuple[Quote, ...]
    refused: Counter[Refusal]
    places: int
    least_over: Decimal | None
    offers: tuple[Offer, ...] = ()
    racks: tuple[RackOffer, ...] = ()


def assumed(candidate: Candidate, terms: Mapping[str, Terms] | None = None) -> Assumptions:
    """Assumptions of its estimate: the terms, and that a commitment covers all machines, if it is the purchase
    option.
    """
    way, agreed = candidate.way, Assumptions(terms=terms or {})
    return agreed.with_values({way.assume: "1"}) if way.assume else agreed


def answer(question: Question, book: PriceBook, say: Callable[[str], None]) -> Answer:
    """Every quote of a question.

    say: called before slow steps. Raises Fault if a cluster cannot be declared.
    """
    known = candidates(question, book)
    views = Views(say)
    shapes = views.prepare(known.found)
    refused, quotes, over = known.refused, list[Quote](), list[Decimal]()
    for one, shape in zip(known.found, shapes, strict=True):
        found = estimate(views.resources(one.plan, shape), book, assumed(one, question.terms))
        quote = Quote(
            candidate=one,
            estimate=found,
            hours=question.hours,
            gpus=question.nodes * one.machine.gpus,
            terms=question.terms.get(one.cloud),
        )
        why = _unusable(quote)
        if not why and question.budget is not None and quote.gap.low(quote.total) > question.budget:
            why = f"costs more than the budget of {money(question.budget)}"
            over.append(quote.gap.low(quote.total))
        if not why:
            quotes.append(quote)
        elif not one.fewer_spares:  # its place is counted with all spares
            refused[Refusal(one.cloud, one.machine.machine_type, one.way.words, why)] += 1
    return Answer(
        question=question,
        quotes=_sorted(quotes),
        refused=refused,
        places=len(known.places),
        least_over=min(over, default=None),
        offers=tuple(_offers(question, book)),
        racks=tuple(rack_offers(question, book)),
    )


def _offers(question: Question, book: PriceBook) -> Iterator[Offer]:
    """The cheapest offer of each provider for each GPU, without PCIe cards."""
    for gpu in dict.fromkeys(name.partition("-")[0] for name in question.accelerators):
        found: dict[str, Offer] = {}
        for offer in offers_of(book, gpu):
            if offer.form in ("sxm", ""):
                found.setdefault(offer.provider, offer)
        yield from found.values()


def _unusable(quote: Quote) -> str:
    """Why it is not an answer: there is neither price nor bound for its machines, or for the commitment.

    A bound of an upfront block's price is not enough: the total stays open.
    """
    term, machines = quote.candidate.way.term, quote.machines
    committed = not term or term in {line.term for line in machines}
    complete = not quote.machine_bound or not any(line.upfront for line in machines)
    if committed and complete and any(line.unit_price for line in machines):
        return ""
    return "no price is known for the machines bought this way"


def _sorted(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    def key(quote: Quote) -> tuple[bool, Decimal, bool, str, str, str, str]:
        one = quote.candidate
        return (
            quote.gap.known == "unknown",
            quote.most,
            bool(quote.machine_bound),
            one.cloud,
            one.place["region"],
            one.machine.machine_type,
            one.way.words,
        )

    return tuple(sorted(quotes, key=key))

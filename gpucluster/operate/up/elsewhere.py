"""Where else the machines of a plan are sold, and at what price for the whole cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Final

from gpucluster.components.cluster.cloud import CLOUDS, ClusterPlan
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.money import ranged
from gpucluster.operate.quote.question import Question
from gpucluster.operate.quote.quotes import Quote, answer
from gpucluster.operate.quote.text import what

_MOST: Final = 5
_HOURS: Final = 30 * 24
"""For a plan without a duration: a month of quotes."""


def elsewhere(plan: ClusterPlan, say: Callable[[str], None]) -> Iterator[str]:
    """Lines about the cheapest other places and ways to buy, one for each region. say: reports progress."""
    asked = _question(plan)
    found = answer(asked, PriceBook.in_use(), say)
    rows = list(_others(plan, found.quotes))
    wanted = f"--gpus {asked.gpus} --for {asked.duration} --accelerators {','.join(asked.accelerators)}"
    if rows:
        yield f"Elsewhere, the whole cluster for {asked.duration}; prices tell nothing of free machines:"
        yield from (f"  {ranged(quote.total, quote.gap)}  {what(quote)}" for quote in rows)
    yield f"All places and purchase options: gpucluster quote {wanted}"


def _question(plan: ClusterPlan) -> Question:
    training, days = plan.training, plan.facts.duration_days
    hours = max(1, int(days * 24)) if isinstance(days, Decimal) else _HOURS
    return Question(
        gpus=training.nodes * training.shape.gpus,
        hours=hours,
        accelerators=(training.shape.accelerator,),
        clouds=CLOUDS,
        places=frozenset(),
        spares=training.spares,
    )


def _others(plan: ClusterPlan, quotes: Iterable[Quote]) -> Iterator[Quote]:
    """The cheapest of each other region, on each cloud."""
    own = (plan.training.shape.cloud, plan.location.region)
    seen = {own}
    for quote in quotes:
        place = (quote.candidate.cloud, quote.candidate.place["region"])
        if place not in seen and len(seen) <= _MOST:
            seen.add(place)
            yield quote

"""All advice on a stack, largest saving first."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.advice.advice import Advice
from gpucluster.cost.advice.lustre import Need, lustre_advice
from gpucluster.cost.advice.machines import machine_advice
from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.purchasing import Settings, options_of
from gpucluster.program.resources import Resources


def advice_of(
    resources: Resources,
    book: PriceBook,
    settings: Settings | None = None,
    assumptions: Assumptions | None = None,
    need: Need | None = None,
) -> tuple[Advice, ...]:
    """Advice on purchasing machines and on shared storage. need: of storage, overrides the one components state."""
    options = options_of(resources, book, settings, assumptions)
    found = [*machine_advice(options), *lustre_advice(resources, book, need)]
    return tuple(sorted(found, key=lambda advice: -(advice.saves or Decimal(0))))

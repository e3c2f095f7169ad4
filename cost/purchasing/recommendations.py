"""Cheaper alternatives and unused capacity, each with the inputs of its figures."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.core.program.resources import Resources
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.purchasing import Settings, options_of
from gpucluster.cost.purchasing.advice import Advice, Input, machine_advice
from gpucluster.cost.purchasing.file_systems import Need, lustre_advice

__all__ = ["Advice", "Input", "advice_of"]


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

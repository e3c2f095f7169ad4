"""Managed Grafana."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.subject import Subject


@prices("azure-native:dashboard:Grafana")
def grafana(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """Hours of the instance, and active users (`grafana_users`). The book has no price: give your own."""
    region, tier = place_of(ask), ask.text("sku", "name", default="Standard").lower()

    def hours() -> Iterator[CostLine]:
        price = ask.price(f"managed-grafana-{tier}-hour", "hour", region=region)
        yield ask.line(f"Managed Grafana, {tier}", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")

    def users() -> Iterator[CostLine]:
        price = ask.price(f"managed-grafana-{tier}-user", "user-month", region=region)
        yield ask.by_usage("Managed Grafana users", "grafana_users", price)

    for lines in (hours, users):
        yield from or_named(ask, lines())

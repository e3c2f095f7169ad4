"""Managed Grafana."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.pricing import Pricing


@prices("azure-native:dashboard:Grafana")
def grafana(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours of the instance, and active users (`grafana_users`). The book has no price: set your own."""
    region, tier = place_of(item), item.text("sku", "name", default="Standard").lower()

    def hours() -> Iterator[CostLine]:
        price = item.price(f"managed-grafana-{tier}-hour", "hour", region=region)
        yield item.line(f"Managed Grafana, {tier}", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")

    def users() -> Iterator[CostLine]:
        price = item.price(f"managed-grafana-{tier}-user", "user-month", region=region)
        yield item.by_usage("Managed Grafana users", "grafana_users", price)

    for lines in (hours, users):
        yield from or_named(item, lines())

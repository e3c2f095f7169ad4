"""On-demand capacity reservations of Azure."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.azure_capacity import CAPACITY
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import machine_price, plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.pricing import Pricing


@prices(CAPACITY)
def capacity_reservation(item: Pricing) -> Iterator[CostLine]:
    """Reserved machines at their own rate, used or not (Azure Compute documentation, capacity reservation overview)."""
    machine, count = item.text("sku", "name"), item.number("sku", "capacity")
    yield item.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        machine_price(item, machine, "on_demand", region=place_of(item)),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )

"""Price queries of plans, which choose by price and show prices to users, but hold no prices themselves.

Each function raises BadPrices if the user's own prices cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from gpucluster.cost.machine_price import machine_price, machine_prices
from gpucluster.cost.prices import Price
from gpucluster.cost.storage_price import storage_price, storage_price_elsewhere

__all__ = ["machine_usd", "machines_usd", "storage_price", "storage_price_elsewhere"]


_BLOCKS: Final = {"aws": "capacity_block", "gcp": "dws_calendar"}
"""The price book's names for capacity blocks; Azure's have no price and count at the machine's own rate."""


def machine_usd(cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
    """USD per hour of one machine; purchase option as in a spec, e.g. `capacity-block`; None without a known price."""
    blocks = purchase == "capacity-block"
    found = machine_price(
        cloud, region, machine_type, _BLOCKS.get(cloud, "on_demand") if blocks else purchase.replace("-", "_")
    )
    return found.usd if isinstance(found, Price) else None


def machines_usd(cloud: str, region: str) -> Mapping[str, Decimal]:
    """Every machine type with a price in a region, by name, with its on-demand USD per hour."""
    return {name: price.usd for name, price in machine_prices(cloud, region)}

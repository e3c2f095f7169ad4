"""What plans ask of the price book: they choose by prices and tell people of them, and know none themselves.

Each raises BadPrices when the user's own prices cannot be used.
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
"""How the price book calls blocks of capacity; those of Azure have no price and count at the machine's own rate."""


def machine_usd(cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
    """USD per hour of one machine, bought as a spec says it, `capacity-block` say; None where no price is known."""
    blocks = purchase == "capacity-block"
    found = machine_price(
        cloud, region, machine_type, _BLOCKS.get(cloud, "on_demand") if blocks else purchase.replace("-", "_")
    )
    return found.usd if isinstance(found, Price) else None


def machines_usd(cloud: str, region: str) -> Mapping[str, Decimal]:
    """Every machine type that has a price in a region, by name, with its USD per hour on demand."""
    return {name: price.usd for name, price in machine_prices(cloud, region)}

"""What plans ask of the price book: they choose by prices and tell people of them, and know none themselves.

Each raises BadPrices when the user's own prices cannot be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from cost.machine_price import machine_price, machine_prices
from cost.prices import Price
from cost.storage_price import storage_price

__all__ = ["machine_usd", "machines_usd", "storage_price"]


def machine_usd(cloud: str, region: str, machine_type: str) -> Decimal | None:
    """USD per hour of one machine on demand; None where no price is known."""
    found = machine_price(cloud, region, machine_type)
    return found.usd if isinstance(found, Price) else None


def machines_usd(cloud: str, region: str) -> Mapping[str, Decimal]:
    """Every machine type that has a price in a region, by name, with its USD per hour on demand."""
    return {name: price.usd for name, price in machine_prices(cloud, region)}

"""What shared storage costs by its speed, for plans that choose the cheapest."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from cost.handlers.aws_fsx_lustre import persistent_ssd
from cost.prices import Price, PriceBook

__all__ = ["storage_price"]


def storage_price(cloud: str, region: str, tier: int) -> Decimal | None:
    """USD per GiB-month of SSD storage with `tier` MB/s per TiB; None where no price is known that may be ranked."""
    if cloud != "aws":
        return None
    found = _book().lookup(cloud, region, persistent_ssd(tier), unit="GiB-month")
    return found.usd if isinstance(found, Price) and found.rankable else None


@cache
def _book() -> PriceBook:
    return PriceBook()

"""What shared storage costs by its speed, for plans that choose the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.cost.handlers.aws_fsx_lustre import persistent_ssd
from gpucluster.cost.handlers.azure_lustre import amlfs
from gpucluster.cost.handlers.gcp_lustre import managed_lustre
from gpucluster.cost.prices import Price, PriceBook

__all__ = ["STORAGE_NAMES", "storage_price"]

STORAGE_NAMES: Final[dict[str, Callable[[int], str]]] = {
    "aws": persistent_ssd,
    "azure": amlfs,
    "gcp": managed_lustre,
}
"""Cloud -> the price book's name of its parallel file system with so many MB/s per TiB."""


def storage_price(cloud: str, region: str, tier: int) -> Decimal | None:
    """USD per GiB-month of SSD storage with `tier` MB/s per TiB; None where no price is known that may be ranked.

    Raises BadPrices when the user's own prices cannot be used.
    """
    if cloud not in STORAGE_NAMES:
        return None
    found = _book().lookup(cloud, region, STORAGE_NAMES[cloud](tier), unit="GiB-month")
    return found.usd if isinstance(found, Price) and found.rankable else None


@cache
def _book() -> PriceBook:
    return PriceBook.in_use()

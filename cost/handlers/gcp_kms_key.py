"""Cloud KMS keys."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import CannotPrice, Pricing


@prices("gcp:kms/cryptoKey:CryptoKey")
def key(item: Pricing) -> Iterator[CostLine]:
    """A month of one active version of a software key (Cloud KMS price page); a rotation adds another."""
    level = item.text("versionTemplate", "protectionLevel", default="SOFTWARE")
    if level != "SOFTWARE":
        raise CannotPrice(f"versionTemplate.protectionLevel is {level!r}: the price book has SOFTWARE keys only")
    said = "one active version of each Cloud KMS key; operations and rotated versions are not in the total"
    yield item.line(
        "Cloud KMS key", Decimal(1), item.price("kms-software-key-version", "month", region="global"), assumption=said
    )

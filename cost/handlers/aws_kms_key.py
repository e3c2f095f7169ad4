"""KMS keys."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing


@prices("aws:kms/key:Key")
def key(item: Pricing) -> Iterator[CostLine]:
    """A month of one customer managed key (KMS price page). Requests and rotated key versions are not in the total."""
    said = "requests (first 20,000 a month free) and rotated versions of the key are not in the total"
    yield item.line("KMS key", Decimal(1), item.price("kms-key", "month"), assumption=said)

"""S3 buckets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stored import stored_or_usage
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing

EXPECTED: Final = "gpucluster/expected-gib"
"""Tag that says how many GiB a bucket holds on average."""


@prices("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
def bucket(item: Pricing) -> Iterator[CostLine]:
    """GiB stored in the standard class at the first tier's price (S3 price page); requests are not in the total."""
    leaves = "standard class at the first tier's price; requests are not in the total"
    price = item.price("s3-standard", "GiB-month")
    yield stored_or_usage(item, "S3 standard storage", EXPECTED, "s3_gib", price, leaves=leaves)

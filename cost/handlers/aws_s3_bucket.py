"""S3 buckets."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.subject import Subject


@prices("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
def bucket(ask: Subject) -> Iterator[CostLine]:
    """GiB stored in the standard class at the first tier's price (S3 price page); requests are not in the total."""
    gib = ask.assumptions.s3_gib
    said = f"s3_gib: {gib} GiB in each bucket, standard class at the first tier's price; requests are not in the total"
    yield ask.line("S3 standard storage", gib, ask.price("s3-standard", "GiB-month"), assumption=said)

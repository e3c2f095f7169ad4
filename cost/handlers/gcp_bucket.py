"""Cloud Storage buckets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stored import stored_gib
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing

EXPECTED: Final = "gpucluster-expected-gib"
"""Label that says how many GiB a bucket holds on average; goes before the assumption `gcs_gib`."""

_CLASSES: Final = {
    "STANDARD": "standard",
    "REGIONAL": "standard",
    "NEARLINE": "nearline",
    "COLDLINE": "coldline",
    "ARCHIVE": "archive",
}
_PLACES: Final = {"us": "multi-region-us", "nam4": "dual-region-nam4"}
"""Locations that are no region, as the price book calls them."""


@prices("gcp:storage/bucket:Bucket")
def bucket(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """GiB stored in the bucket's class (Cloud Storage price page); requests and retrieval are not in the total."""
    kind = item.text("storageClass", default="STANDARD").upper()
    if kind not in _CLASSES:
        raise CannotPrice(f"storageClass is {kind!r}; priced are {', '.join(_CLASSES)}")
    location = item.text("location").lower()
    gib, where = stored_gib(item, "labels", EXPECTED, "gcs_gib", each="Cloud Storage bucket")
    said = f"{where}; requests and retrieval are not in the total"
    price = item.price(f"gcs-{_CLASSES[kind]}", "GiB-month", region=_PLACES.get(location, location))
    yield item.line(
        f"Cloud Storage {kind.lower()}", gib, price, basis=f"{gib:,f} GiB", assumption=said, usage=("gcs_gib",)
    )
    if item.get("autoclass", "enabled"):
        yield item.not_priced("autoclass: billed by managed object; no price known")

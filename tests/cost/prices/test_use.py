"""Prices in use: each has a source that `sources.csv` knows, and without its row the line is not priced."""

from __future__ import annotations

import csv
import datetime
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import gpucluster.cost.prices
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.prices import NotKnown, Price, PriceRow
from gpucluster.cost.pricing.plan_prices import storage_price, storage_price_in_other_regions

FOLDER = Path(gpucluster.cost.prices.__file__).parent
TODAY = datetime.date(2026, 11, 21)
Make = Callable[..., Resource]

ZONE = "us-central1-a"
GOOGLE: dict[str, tuple[str, dict[str, Any]]] = {
    "cluster": ("gcp:container/cluster:Cluster", {"location": "us-central1"}),
    "training": ("gcp:container/nodePool:NodePool", {
        "location": ZONE, "nodeCount": 5,
        "nodeConfig": {"machineType": "a3-megagpu-8g", "diskSizeGb": 100, "diskType": "hyperdisk-balanced"},
    }),
    "system": ("gcp:container/nodePool:NodePool", {
        "location": ZONE, "nodeCount": 2,
        "nodeConfig": {"machineType": "e2-standard-4", "diskSizeGb": 100, "diskType": "pd-balanced"},
    }),
    "spot": ("gcp:container/nodePool:NodePool", {
        "location": ZONE, "nodeCount": 1,
        "nodeConfig": {"machineType": "a3-highgpu-1g", "spot": True, "diskSizeGb": 100, "diskType": "pd-ssd"},
    }),
    "nat": ("gcp:compute/routerNat:RouterNat", {"region": "us-central1"}),
    "address": ("gcp:compute/address:Address", {"region": "us-central1"}),
    "lustre": ("gcp:lustre/instance:Instance", {
        "location": ZONE, "capacityGib": "36000", "perUnitStorageThroughput": "250",
    }),
    "home": ("gcp:filestore/instance:Instance", {
        "location": ZONE, "tier": "ZONAL", "fileShares": {"capacityGb": 1024},
    }),
    "bucket": ("gcp:storage/bucket:Bucket", {"location": "us-central1"}),
    "key": ("gcp:kms/cryptoKey:CryptoKey", {}),
    "disk": ("gcp:compute/disk:Disk", {"zone": ZONE, "size": 100}),
}  # fmt: skip


class _Recording(PriceBook):
    """A price book that remembers which rows were used."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(today=TODAY, folder=folder)
        self.used: dict[tuple[str, ...], PriceRow] = {}

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        found = super().lookup(provider, region, sku, purchase, term, unit=unit)
        if isinstance(found, Price):
            self.used[(region, sku, purchase, term, unit)] = found.row
        return found


def _stack(make: Make) -> Resources:
    return Resources(make(type_, name, **inputs) for name, (type_, inputs) in GOOGLE.items())


def _used(make: Make) -> tuple[Estimate, dict[tuple[str, ...], PriceRow]]:
    book = _Recording()
    return estimate(_stack(make), book), book.used


def test_every_price_used_has_a_source_a_date_and_a_basis(make: Make) -> None:
    found, used = _used(make)
    assert found.not_priced == ()
    assert len(used) == 19
    assert [row for row in used.values() if not row.source or not row.as_of or not row.basis] == []
    assert {line.source for line in found.lines} == {row.document for row in used.values()}


def test_without_its_row_a_line_is_not_priced_and_all_others_stay(make: Make, tmp_path: Path) -> None:
    whole, used = _used(make)
    with (FOLDER / "gcp.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, key in enumerate(used):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(FOLDER / "sources.csv", folder)
        kept = [
            row for row in rows if tuple(row[name] for name in ("region", "sku", "purchase", "term", "unit")) != key
        ]
        with (folder / "gcp.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(kept)
        found = estimate(_stack(make), PriceBook(today=TODAY, folder=folder))
        gone = {(line.urn, line.name) for line in whole.lines} - {(line.urn, line.name) for line in found.lines}
        assert gone, key
        assert any(f"no price for {key[1]} " in item.reason for item in found.not_priced), key
        assert not found.complete
        assert found.monthly.expected <= whole.monthly.expected


@pytest.mark.parametrize("tier", [125, 250, 500, 1000])
def test_a_plan_that_chooses_storage_gets_the_price_that_the_estimate_bills(make: Make, tier: int) -> None:
    inputs = {"location": ZONE, "capacityGib": "72000", "perUnitStorageThroughput": str(tier)}
    (line,) = estimate(Resources([make("gcp:lustre/instance:Instance", **inputs)]), PriceBook(today=TODAY)).lines
    assert line.unit_price == storage_price("gcp", "us-central1", tier)
    assert storage_price("gcp", "us-west4", tier) is None
    assert storage_price("nowhere", "us-central1", tier) is None
    assert storage_price_in_other_regions("gcp", tier) == line.unit_price


def test_tiers_are_put_in_order_by_another_region_or_another_cloud() -> None:
    found = {tier: storage_price_in_other_regions("azure", tier) for tier in (40, 125, 500)}
    assert found == {40: Decimal("0.08322"), 125: Decimal("0.17374"), 500: Decimal("0.37376")}
    assert storage_price_in_other_regions("gcp", 40) == Decimal("0.08322")

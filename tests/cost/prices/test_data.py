"""The price book's data, which is treated as code."""

from __future__ import annotations

import csv
import datetime
import functools
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

import gpucluster.cost.prices
from gpucluster.core.catalog.machines import machines
from gpucluster.cost import PriceBook
from gpucluster.cost.prices import Price, PriceRow
from gpucluster.cost.prices.live.refresh import LISTS
from gpucluster.cost.prices.row import as_of_date

FOLDER = Path(gpucluster.cost.prices.__file__).parent
PROVIDERS = sorted(path.stem for path in FOLDER.glob("*.csv") if path.stem != "sources")
TODAY = datetime.date(2026, 11, 21)
BOOK = PriceBook(today=TODAY)


UNITS = {
    "instance-hour", "GPU-hour", "rack-hour", "VM-hour", "hour", "month", "GiB", "GiB-month", "MiB", "IOPS-month",
    "MiBps-month", "disk-month", "LCU-hour", "user-month", "1000-requests", "10000-requests",
    "1M-requests", "1M-samples", "10M-samples", "1B-samples", "USD-of-monthly-spend",
    "1M-minutes", "100000-events", "minute", "TiB", "vCPU-hour", "GiB-hour", "ACU-hour", "vCPU-month", "vCPU-second",
    "GiB-second", "GHz-second",
}  # fmt: skip
PURCHASES = {"on_demand", "spot", "reserved", "savings_plan", "capacity_block", "flex_start", "dws_calendar"}


@functools.cache
def _rows() -> list[PriceRow]:
    return [row for provider in PROVIDERS for row in BOOK.rows(provider)]


def _key(row: PriceRow) -> tuple[str, ...]:
    return row.provider, row.region, row.sku, row.unit, row.purchase, row.term


def test_every_provider_has_its_file() -> None:
    assert PROVIDERS == [
        "aws", "azure", "coreweave", "crusoe", "gcp", "hyperstack", "lambda", "nebius", "oracle", "runpod", "vast",
    ]  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_file_holds_the_rows_of_its_provider_only(provider: str) -> None:
    assert {row.provider for row in BOOK.rows(provider)} == {provider}


def test_units_purchases_and_terms_are_known() -> None:
    assert {row.unit for row in _rows()} <= UNITS
    assert {row.purchase for row in _rows()} == PURCHASES - {"savings_plan"}
    assert {row.term for row in _rows()} <= {"", "1y", "1y-partial", "1y-all", "3y", "3y-partial", "3y-all"}
    assert [row for row in _rows() if (row.purchase in ("reserved", "savings_plan")) != bool(row.term)] == []


def test_prices_are_above_zero_except_a_free_first_tier() -> None:
    zero = [(_key(row), row.note) for row in _rows() if row.usd_per_unit <= 0]
    free = "tier 0: first 100 GB/month free"
    assert zero == [(("azure", "eastus", "internet-egress", "GiB", "on_demand", ""), free)]


def test_every_row_has_a_source_and_a_date_that_is_not_in_the_future() -> None:
    assert [row for row in _rows() if not row.source] == []
    dated = [as_of_date(row.as_of) or datetime.date(int(row.as_of), 1, 1) for row in _rows()]
    assert max(dated) <= datetime.date.today()
    assert min(dated) >= datetime.date(2022, 1, 1)


def test_a_key_has_one_primary_row_or_distinct_tiers() -> None:
    primary = Counter((*_key(row), row.tier) for row in _rows() if not row.alt)
    assert [key for key, count in primary.items() if count > 1] == []
    tiers: dict[tuple[str, ...], set[int]] = {}
    for row in _rows():
        if not row.alt:
            tiers.setdefault(_key(row), set()).add(row.tier)
    mixed = [key for key, found in tiers.items() if 0 in found and len(found) > 1 and key[2] != "internet-egress"]
    assert mixed == []


def test_every_line_of_the_sources_table_is_used_by_a_row_or_a_refresh_and_says_why() -> None:
    with (FOLDER / "sources.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    unused = [
        line["starts_with"]
        for line in lines
        if not any(
            row.source.startswith(line["starts_with"]) and line["provider"] in ("", row.provider) for row in _rows()
        )
    ]
    assert set(unused) <= {f"{name}, " for name in LISTS.values()}
    assert [line for line in lines if not line["why"]] == []


NOTED = ("Apache-2.0", "MIT", "MPL-2.0", "none stated; price facts only", "the cloud's own list")
PLACE = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{7}:\S|pypi:[\w-]+@[\d.]+:\S|https://\S+/\S")
"""repository@commit:path, package@version:path, or a page."""


def _sources() -> list[dict[str, str]]:
    with (FOLDER / "sources.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_no_fact_is_taken_from_a_source_whose_licence_forbids_it() -> None:
    licences = {line["starts_with"]: line["licence"] for line in _sources()}
    assert set(licences.values()) <= set(NOTED)
    assert [name for name in licences if "cocalc" in name or "FSL" in name] == []


def test_every_source_is_where_its_line_says() -> None:
    for line in _sources():
        assert line["url"].startswith("https://"), line
        repository = re.match(r"([\w.-]+/[\w.-]+)@([0-9a-f]*)", line["starts_with"])
        if repository is not None:
            assert line["url"].startswith(f"https://github.com/{repository[1]}"), line
            assert repository[2] in line["url"], line


def test_every_row_can_be_audited() -> None:
    lists = tuple(f"{name}, " for name in LISTS.values())
    vague = {row.source for row in _rows() if not PLACE.search(row.source) and not row.source.startswith(lists)}
    assert vague == set()
    assert {row.as_of for row in _rows() if not row.as_of} == set()


def test_a_price_for_the_whole_world_is_one_that_the_vendor_says_is_one() -> None:
    """Support, DNS and what else has no region; every other price is that of the regions where it was seen."""
    worldwide = {(row.provider, row.kind) for row in _rows() if row.region == "global" and row.provider in LISTS}
    assert worldwide == {
        *(("aws", kind) for kind in ("dns", "egress", "support")),
        *(("azure", kind) for kind in ("dns", "security", "support")),
        *(("gcp", kind) for kind in ("container", "control_plane", "dns", "egress", "messaging", "observability",
                                     "security", "serverless", "support")),
    }  # fmt: skip


STATED = re.compile(
    r"(?:^|; )worldwide: (infracost/infracost@95ba4f4:internal/resources/\S+\.go|https://\S+|not stated)$"
)
"""The document by which a vendor's list has one price: a program that asks it for region `global`, or for none."""


def test_a_price_for_the_whole_world_names_the_document_that_says_so_or_is_of_low_confidence() -> None:
    worldwide = [row for row in _rows() if row.region == "global" and row.provider in LISTS and not row.alt]
    found = {row: STATED.search(row.note) for row in worldwide if row.kind != "support"}  # fees of an account
    assert [row for row, stated in found.items() if stated is None] == []
    unstated = {row for row, stated in found.items() if stated is not None and stated[1] == "not stated"}
    assert {(row.provider, row.sku) for row in unstated} == {
        ("azure", "keyvault-key-hsm"), ("gcp", "cloud-run-requests"), ("gcp", "kms-software-key-version"),
        ("gcp", "cloud-logging-network-ingest"), ("gcp", "inter-zone"), ("gcp", "managed-prometheus-samples"),
        ("gcp", "secret-manager-access"), ("gcp", "secret-manager-version"),
    }  # fmt: skip
    assert {row.confidence(TODAY) for row in unstated} == {"low"}


UNPRICED = ("a2-megagpu-16g", "a3-edgegpu-8g", "a3-edgegpu-8g-nolssd", "a3-ultragpu-8g-nolssd")
"""Machines that rules know and clusters are not built of; a price of one makes this list too long."""


def test_a_machine_without_a_price_is_none_that_clusters_are_built_of() -> None:
    assert sorted(name for name in machines() if not any(row.sku == name for row in _rows())) == list(UNPRICED)
    assert not any(machines()[name].clusters for name in UNPRICED)


@pytest.mark.parametrize("machine", sorted(set(machines()) - set(UNPRICED)))
def test_every_machine_of_the_gpu_table_has_a_price_where_its_cloud_is_at_home(machine: str) -> None:
    provider = machines()[machine].cloud
    home = {"aws": ["us-east-1", "us-east-2"], "azure": ["eastus", "eastus2"], "gcp": ["us-central1"]}[provider]
    assert any(row.sku == machine and row.region in home and not row.alt for row in BOOK.rows(provider))


def test_machines_of_googles_page_are_kept_to_the_cent_and_say_what_the_page_prints() -> None:
    page = "ewyluda/gpu-price-index@1e77fb7:tests/fixtures/gcp.html"
    whole = [row for row in BOOK.rows("gcp") if row.source.startswith(page) and row.sku.startswith(("a3-", "a4-"))]
    printed = {(row.sku, row.purchase, row.term): row.note.partition("the page prints ")[2] for row in whole}
    assert len(whole) == len(printed) == 23
    assert {row.usd_per_unit.as_tuple().exponent for row in whole} == {-2}
    assert printed["a3-megagpu-8g", "on_demand", ""] == "93.400712807"
    apart = [row for row in whole if (exact := printed[row.sku, row.purchase, row.term])
             and round(Decimal(exact), 2) != row.usd_per_unit]  # fmt: skip
    assert apart == []


def test_the_smaller_h100_machines_of_google_are_shares_of_the_large_one() -> None:
    flex = {row.sku: row.usd_per_unit for row in BOOK.rows("gcp") if row.purchase == "flex_start"
            and row.region == "us-central1" and row.sku.startswith("a3-highgpu-")}  # fmt: skip
    assert {sku: flex["a3-highgpu-8g"] / price for sku, price in flex.items()} == {
        "a3-highgpu-1g": 8,
        "a3-highgpu-2g": 4,
        "a3-highgpu-4g": 2,
        "a3-highgpu-8g": 1,
    }


def test_the_small_h100_machine_costs_an_eighth_of_the_large_one() -> None:
    price = {row.sku: row.usd_per_unit for row in BOOK.rows("aws") if row.region == "us-east-1" and not row.alt
             and row.purchase == "on_demand"}  # fmt: skip
    assert price["p5.4xlarge"] * 8 == price["p5.48xlarge"]


def test_second_opinions_that_say_they_agree_are_within_a_thousandth() -> None:
    primary = {_key(row): row.usd_per_unit for row in reversed(_rows()) if not row.alt and row.tier in (0, 1)}
    agreeing = [
        row
        for row in _rows()
        if row.alt and "agrees" in row.note and "disagrees" not in row.note and _key(row) in primary
    ]
    assert len(agreeing) > 3
    apart = [
        (_key(row), row.usd_per_unit, primary[_key(row)])
        for row in agreeing
        if abs(row.usd_per_unit / primary[_key(row)] - 1) > Decimal("0.001")
    ]
    assert apart == []


def test_h100_machines_of_the_three_clouds_are_there_on_demand() -> None:
    found = {(row.provider, row.sku) for row in _rows() if row.purchase == "on_demand" and not row.alt}
    assert {
        ("aws", "p5.48xlarge"),
        ("aws", "p5.4xlarge"),
        ("gcp", "a3-highgpu-8g"),
        ("gcp", "a3-megagpu-8g"),
        ("azure", "Standard_ND96isr_H100_v5"),
    } <= found


# Azure/karpenter-provider-azure, the table generated on 2026-06-18: USD an hour in eastus, westeurope and japaneast.
AZURE = {
    "Standard_ND96isr_H100_v5": ("98.32", "127.816", "142.564"),
    "Standard_ND96is_H100_v5": ("88.488", "115.034", "128.308"),
    "Standard_NC40ads_H100_v5": ("6.98", "9.08", "10.121"),
    "Standard_NC80adis_H100_v5": ("13.96", "18.16", "20.242"),
}


@pytest.mark.parametrize("machine", AZURE)
def test_h100_machines_of_azure_have_their_price_in_every_region(machine: str) -> None:
    found = [
        BOOK.lookup("azure", region, machine, unit="instance-hour") for region in ("eastus", "westeurope", "japaneast")
    ]
    assert [price.usd for price in found if isinstance(price, Price)] == [Decimal(usd) for usd in AZURE[machine]]


def test_the_size_without_infiniband_is_a_tenth_cheaper_wherever_both_are_sold() -> None:
    rows = {(row.region, row.sku): row.usd_per_unit for row in BOOK.rows("azure")
            if row.purchase == "on_demand" and row.unit == "instance-hour" and not row.alt}  # fmt: skip
    both = [
        region
        for region, sku in rows
        if sku == "Standard_ND96is_H100_v5" and (region, "Standard_ND96isr_H100_v5") in rows
    ]
    assert len(both) > 15
    ratio = {rows[region, "Standard_ND96is_H100_v5"] / rows[region, "Standard_ND96isr_H100_v5"] for region in both}
    assert {round(found, 4) for found in ratio} == {Decimal("0.9000")}

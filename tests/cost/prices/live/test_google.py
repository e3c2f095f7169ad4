"""Google's Cloud Billing Catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost.prices.live.google import offers
from gpucluster.cost.prices.live.query import Query, quoted
from gpucluster.cost.prices.live.sources import queries
from gpucluster.cost.prices.live.web import SourceFailed, Web

from .fakes import Lists, google_sku

SERVICES = {
    "services": [{"name": "services/6F81-5844-456A", "serviceId": "6F81-5844-456A", "displayName": "Compute Engine"}]
}
PATH = "/v1/services/6F81-5844-456A/skus"
EAST4: dict[str, Any] = {"serviceRegions": ["us-east4"]}


def _query(sku: str, purchase: str = "on_demand", term: str = "") -> Query:
    return next(one for one in queries("gcp") if (one.sku, one.purchase, one.term) == (sku, purchase, term))


def _price(lists: Lists, web: Web, query: Query, region: str) -> Decimal | None:
    ((_, found),) = offers(web, "Compute Engine", [region], "2026-11-21", "key", lists.address)
    quote = quoted(query, found)
    return None if quote is None else quote.tiers[0][1]


def test_an_a3_machine_is_the_sum_of_its_parts_and_of_no_other_way_to_buy(lists: Lists, web: Web) -> None:
    """Host share 9.46006 and GPUs 78.37241 of us-east4, disks at 0.088 a month: 88.5557 by hand."""
    place = "running in Northern Virginia"
    lists.put("/v1/services", SERVICES)
    lists.put(
        PATH,
        {"skus": [
            google_sku(f"A3 Instance Core {place}", "0.02", name="A", **EAST4),
            google_sku(f"A3 Instance Ram {place}", "0.002831229", "GiBy.h", name="B", **EAST4),
            google_sku(f"DWS Calendar Mode A3 Instance Core {place}", "0.011", name="C", **EAST4),
            google_sku(f"DWS Defined Duration Nvidia H100 80GB GPU {place}", "4.2", name="D", **EAST4),
            google_sku("A3 Instance Core running in Americas", "0.03", name="E"),
        ], "nextPageToken": "2"},
        {"skus": [
            google_sku(f"Nvidia H100 80GB GPU {place}", "9.79655125", name="F", **EAST4),
            google_sku(f"Nvidia H100 80GB Mega GPU {place}", "11.1", name="G", **EAST4),
            google_sku(f"Nvidia H100 80GB GPU attached to Spot Preemptible VMs {place}", "5", name="H", **EAST4),
            google_sku("SSD backed Local Storage in Northern Virginia", "0.088", "GiBy.mo", name="I", **EAST4),
            google_sku(f"Reserved Nvidia H100 80GB GPU {place}", "0", name="J", **EAST4),
        ]},
    )  # fmt: skip
    price = _price(lists, web, _query("a3-highgpu-8g"), "us-east4")
    assert price is not None
    assert abs(price - Decimal("88.5557")) < Decimal("0.0001")
    assert [asked.get("pageToken") for path, asked in lists.asked if path == PATH] == [None, "2"]
    assert set(lists.keys) == {"key"}


def test_spot_and_commitments_have_parts_of_their_own(lists: Lists, web: Web) -> None:
    lists.put("/v1/services", SERVICES)
    spot = "attached to Spot Preemptible VMs"
    lists.put(PATH, {"skus": [
        google_sku("Spot Preemptible A3Plus Instance Core running in Americas", "0.01", name="A"),
        google_sku("Spot Preemptible A3Plus Instance Ram running in Americas", "0.001", "GiBy.h", name="B"),
        google_sku(f"Nvidia H100 80GB Plus GPU {spot} running in Americas", "2", name="C"),
        google_sku(f"SSD backed Local Storage {spot}", "0.073", "GiBy.mo", name="D"),
        google_sku("Commitment v1: A3 Cpu in Americas for 1 Year", "0.01", name="E"),
        google_sku("Commitment v1: A3 Ram in Americas for 1 Year", "0.001", "GiBy.h", name="F"),
        google_sku("Commitment v1: Nvidia H100 80GB GPU running in Americas for 1 Year", "3", name="G"),
        google_sku("Commitment v1: Nvidia H100 80GB GPU running in Americas for 3 Years", "1", name="H"),
        google_sku("Commitment v1: Local SSD in Americas for 1 Year", "0.0001", "GiBy.h", name="I"),
    ]})  # fmt: skip
    assert _price(lists, web, _query("a3-megagpu-8g", "spot"), "us-central1") == Decimal("20.552")
    assert _price(lists, web, _query("a3-highgpu-8g", "reserved", "1y"), "us-central1") == Decimal("28.552")


def test_flex_start_is_what_the_catalog_calls_a_defined_duration(lists: Lists, web: Web) -> None:
    """Prices of August 2025, which give the price page's $38.32 for a3-highgpu-8g."""
    place = "running in Americas"
    slices = "A4 Nvidia B200 (1 gpu slice)"
    lists.put("/v1/services", SERVICES)
    lists.put(PATH, {"skus": [
        google_sku(f"DWS Defined Duration A3 Core {place}", "0.010934", name="A"),
        google_sku(f"DWS Defined Duration A3 Ram {place}", "0.000952", "GiBy.h", name="B"),
        google_sku(f"Nvidia H100 80GB GPU attached to DWS Defined Duration VMs {place}", "4.200761", name="C"),
        google_sku(f"DWS Defined Duration SSD backed Local Storage {place}", "0.08", "GiBy.mo", name="D"),
        google_sku(f"{slices} {place}", "16.11", name="E"),
        google_sku(f"DWS Defined Duration {slices} {place}", "8.055", name="F"),
        google_sku(f"Spot Preemptible {slices} {place}", "4.9542", name="G"),
        google_sku("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "11.1159", name="H"),
    ]})  # fmt: skip
    flex = _price(lists, web, _query("a3-highgpu-8g", "flex_start"), "us-central1")
    assert flex is not None and flex.quantize(Decimal("0.01")) == Decimal("38.32")
    ways = [("on_demand", ""), ("flex_start", ""), ("spot", ""), ("reserved", "1y")]
    prices = [_price(lists, web, _query("a4-highgpu-8g", *way), "us-central1") for way in ways]
    assert prices == [Decimal("128.88"), Decimal("64.44"), Decimal("39.6336"), Decimal("88.9272")]


def test_sizes_that_our_catalog_lacks_are_those_of_the_table(lists: Lists, web: Web) -> None:
    """g2-standard-8: 8 vCPUs, 32 GiB and one GPU; of e2-small half a vCPU is paid for."""
    lists.put("/v1/services", SERVICES)
    lists.put(PATH, {"skus": [
        google_sku("G2 Instance Core running in Americas", "0.02", name="A"),
        google_sku("G2 Instance Ram running in Americas", "0.003", "GiBy.h", name="B"),
        google_sku("Nvidia L4 GPU running in Americas", "0.56", name="C"),
        google_sku("Nvidia L4 GPU attached to Spot Preemptible VMs running in Americas", "0.2", name="D"),
        google_sku("E2 Instance Core running in Americas", "0.02", name="E"),
        google_sku("E2 Instance Ram running in Americas", "0.003", "GiBy.h", name="F"),
    ]})  # fmt: skip
    prices = [_price(lists, web, _query(sku), "us-central1") for sku in ("g2-standard-8", "e2-small", "e2-standard-2")]
    assert prices == [Decimal("0.816"), Decimal("0.016"), Decimal("0.064")]


def test_what_is_sold_worldwide_is_sold_in_each_region(lists: Lists, web: Web) -> None:
    lists.put("/v1/services", SERVICES)
    address = "External IP Charge on a Standard VM"
    lists.put(PATH, {"skus": [google_sku(address, "0.005", name="A", serviceRegions=["global"])]})
    assert _price(lists, web, _query("static-ip-hour"), "us-central1") == Decimal("0.005")


def test_a_service_that_is_called_otherwise_now_fails(lists: Lists, web: Web) -> None:
    lists.put("/v1/services", SERVICES)
    with pytest.raises(SourceFailed, match="no service called 'Managed Lustre'; its name has changed"):
        list(offers(web, "Managed Lustre", ["us-central1"], "2026-11-21", "key", lists.address))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "a page has no skus; the shape of the API has changed"),
        ({"skus": [{**google_sku("x", "1"), "pricingInfo": [{}]}]}, "SKU x has an unexpected form"),
        ({"skus": [google_sku("x", "1", category=None)]}, "SKU x has an unexpected form"),
    ],
)
def test_an_answer_of_another_shape_fails(lists: Lists, web: Web, document: Mapping[str, Any], message: str) -> None:
    lists.put("/v1/services", SERVICES)
    lists.put(PATH, document)
    with pytest.raises(SourceFailed, match=re.escape(message)):
        _price(lists, web, _query("pd-ssd"), "us-central1")


def test_a_free_first_tier_is_passed_over(lists: Lists, web: Web) -> None:
    sku = google_sku("SSD backed PD Capacity", "0", "GiBy.mo")
    rates = sku["pricingInfo"][0]["pricingExpression"]["tieredRates"]
    rates.append({"startUsageAmount": 30, "unitPrice": {"currencyCode": "USD", "units": "0", "nanos": 170000000}})
    lists.put("/v1/services", SERVICES)
    lists.put(PATH, {"skus": [sku]})
    assert _price(lists, web, _query("pd-ssd"), "us-central1") == Decimal("0.17")


def test_a_key_that_is_refused_is_in_no_message(lists: Lists, web: Web) -> None:
    with pytest.raises(SourceFailed) as failed:
        list(offers(web, "Compute Engine", ["us-central1"], "2026-11-21", "secret", lists.address))
    assert "secret" not in str(failed.value)

"""Azure's Retail Prices API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost.prices.live.azure import offers
from gpucluster.cost.prices.live.query import Doubt, Query, quoted
from gpucluster.cost.prices.live.sources import queries
from gpucluster.cost.prices.live.web import SourceFailed, Web
from tests.says import Says

from .fakes import Lists, meter, page

PATH = "/api/retail/prices"
MACHINES = [
    query.of("Standard_ND96isr_H100_v5", "eastus") for query in queries("azure") if query.service == "Virtual Machines"
]


def _prices(lists: Lists, web: Web, service: str, asked: list[Query]) -> list[Decimal | None]:
    ((_, found),) = offers(web, service, ["eastus"], asked, "2026-11-21", lists.address)
    quotes = [quoted(query, found) for query in asked]
    return [None if quote is None else quote.tiers[0][1] for quote in quotes]


def test_on_demand_spot_and_reservations_are_told_apart_over_pages(lists: Lists, web: Web) -> None:
    windows = {"productName": "Virtual Machines NDsr H100 v5 Series Windows", "meterId": "m-2"}
    spot = {"meterName": "ND96isrH100v5 Spot", "skuName": "ND96isrH100v5 Spot", "meterId": "m-3"}
    low = {"meterName": "ND96isrH100v5 Low Priority", "meterId": "m-4"}
    year = {"type": "Reservation", "reservationTerm": "1 Year", "skuId": "p/1"}
    years = {"type": "Reservation", "reservationTerm": "3 Years", "skuId": "p/3"}
    last = f"{PATH}?$skip=3"
    lists.put(PATH, page(meter(98.32), meter(102.736, **windows), meter(18.169536, **spot),
                         following=lists.address.replace("127.0.0.1", "127.0.0.1") + last))  # fmt: skip
    lists.put(last, page(meter(19.7, **low), meter(551179.2, **year), meter(1134244.8, **years)))
    assert _prices(lists, web, "Virtual Machines", MACHINES) == [
        Decimal("98.32"), Decimal("18.169536"), Decimal("62.92"), Decimal("43.16"),
    ]  # fmt: skip
    asked = lists.asked[0][1]
    assert asked["$filter"] == Says(
        "serviceName", "Virtual", "Machines", "armSkuName", "Standard_ND96isr_H100_v5", "armRegionName", "eastus"
    )
    assert (asked["currencyCode"], asked["meterRegion"]) == ("'USD'", "'primary'")


def test_one_question_serves_all_ways_to_buy_a_machine(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32)))
    assert _prices(lists, web, "Virtual Machines", MACHINES) == [Decimal("98.32"), None, None, None]
    assert lists.times(PATH) == 1


def test_one_question_serves_all_regions_and_what_is_global_is_in_each(lists: Lists, web: Web) -> None:
    west = {"armRegionName": "westus", "meterId": "m-2"}
    elsewhere = {"armRegionName": "chilecentral", "meterId": "m-3"}
    lists.put(
        PATH,
        page(
            meter(98.32), meter(110, **west), meter(120, **elsewhere), meter(9, armRegionName="Global", meterId="m-4")
        ),
    )
    found = dict(offers(web, "Virtual Machines", ["eastus", "westus"], MACHINES, "2026-11-21", lists.address))
    prices = {region: [str(offer.tiers[0].usd) for offer in offered] for region, offered in found.items()}
    assert prices == {"eastus": ["98.32", "9"], "westus": ["110", "9"]}
    assert [one["$filter"] for _, one in lists.asked] == [
        Says("serviceName", "Virtual", "Machines", "armSkuName", "Standard_ND96isr_H100_v5")
    ]


def test_traffic_is_asked_for_in_every_region_and_keeps_its_tiers(lists: Lists, web: Web) -> None:
    (asked,) = (query for query in queries("azure") if query.sku == "internet-egress")
    traffic = {
        "serviceName": "Bandwidth", "productName": "Rtn Preference: MGN", "skuName": "Standard",
        "unitOfMeasure": "1 GB",
        "meterName": "Standard Data Transfer Out", "armSkuName": "", "isPrimaryMeterRegion": False,
    }  # fmt: skip
    steps = [(0, 0), (100, 0.087), (10335, 0.083)]
    lists.put(PATH, page(*(meter(usd, tierMinimumUnits=start, **traffic) for start, usd in steps)))
    ((_, found),) = offers(web, "Bandwidth", ["eastus"], [asked], "2026-11-21", lists.address)
    quote = quoted(asked, found)
    assert quote is not None
    assert [(int(start), str(usd)) for start, usd in quote.tiers] == [(0, "0"), (100, "0.087"), (10335, "0.083")]
    assert "meterRegion" not in lists.asked[0][1]


def test_a_link_with_the_port_of_https_is_followed_without_it(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32), following="http://127.0.0.1:443/x"))
    with pytest.raises(SourceFailed, match=re.escape("http://127.0.0.1/x: ")):
        _prices(lists, web, "Virtual Machines", MACHINES)


@pytest.mark.parametrize(("unit", "times"), [("1 GiB/Hour", Decimal(730)), ("1 TiB/Hour", Decimal(730) / 1024)])
def test_storage_by_the_hour_becomes_a_gibibyte_a_month(lists: Lists, web: Web, unit: str, times: Decimal) -> None:
    """Managed Lustre, as the list writes it: a meter of the service Storage."""
    item = meter(0.2, serviceName="Storage", productName="Azure Managed Lustre", armSkuName="",
                 skuName="AMLFS-Durable-Premium-250", meterName="Provisioned Capacity",
                 unitOfMeasure=unit)  # fmt: skip
    lists.put(PATH, page(item))
    asked = [query for query in queries("azure") if query.sku.startswith("AMLFS-")]
    found = {query.sku: price for query, price in zip(asked, _prices(lists, web, "Storage", asked), strict=True)}
    assert found == {
        "AMLFS-Durable-Premium-40": None, "AMLFS-Durable-Premium-125": None,
        "AMLFS-Durable-Premium-250": Decimal("0.2") * times, "AMLFS-Durable-Premium-500": None,
    }  # fmt: skip


def test_a_disk_is_not_its_mounts_and_a_premium_ssd_v2_is_sold_in_three_parts(lists: Lists, web: Web) -> None:
    """Meters and prices of westeurope as the Retail Prices API gave them in August 2026."""
    disk = {"serviceName": "Storage", "armSkuName": "", "productName": "Premium SSD Managed Disks",
            "skuName": "P20 LRS", "unitOfMeasure": "1/Month"}  # fmt: skip
    v2 = {**disk, "productName": "Azure Premium SSD v2", "skuName": "Premium LRS", "unitOfMeasure": "1/Hour"}
    lists.put(PATH, page(
        meter(80.54, **disk, meterName="P20 LRS Disk"),
        meter(4.27, **disk, meterName="P20 LRS Disk Mount", meterId="m-2"),
        meter(0, **v2, meterName="Premium LRS Provisioned IOPS", meterId="m-3"),
        meter(0.000008, **v2, meterName="Premium LRS Provisioned IOPS", meterId="m-3", tierMinimumUnits=3000),
        meter(0.000065, **v2, meterName="Premium LRS Provisioned Throughput (MBps)", meterId="m-4"),
        meter(0.00012, **{**v2, "unitOfMeasure": "1 GiB/Hour"}, meterName="Premium LRS Provisioned Capacity",
              meterId="m-5"),
    ))  # fmt: skip
    skus = ("managed-disk-P20-lrs", "premium-ssd-v2-iops", "premium-ssd-v2-throughput", "premium-ssd-v2-capacity")
    by_sku = {query.sku: query for query in queries("azure")}
    asked = [by_sku[sku] for sku in skus]
    assert _prices(lists, web, "Storage", asked) == [
        Decimal("80.54"), Decimal("0.00584"), Decimal("0.04745"), Decimal("0.0876"),
    ]  # fmt: skip


def test_two_meters_for_one_machine_are_doubted(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32), meter(99.0, meterId="m-9")))
    with pytest.raises(Doubt, match=re.escape("2 offers match, expected one: meter m-1 p/s Consumption at $98.32")):
        _prices(lists, web, "Virtual Machines", MACHINES)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"items": []}, "has no Items; the shape of the API has changed"),
        ({"Items": ["x"]}, "has no Items; the shape of the API has changed"),
        (page({key: value for key, value in meter(1).items() if key != "retailPrice"}), "has no retailPrice"),
        (page(meter(1, currencyCode="EUR")), "is priced in 'EUR', expected USD"),
        (page(meter(-1)), "retailPrice of Azure meter m-1 p/s Consumption is -1"),
    ],
)
def test_an_answer_of_another_shape_fails(lists: Lists, web: Web, document: Mapping[str, Any], message: str) -> None:
    lists.put(PATH, document)
    with pytest.raises(SourceFailed, match=re.escape(message)):
        _prices(lists, web, "Virtual Machines", MACHINES)


def test_pages_without_end_are_given_up(lists: Lists, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.cost.prices.live.azure._MOST_PAGES", 3)
    lists.put(PATH, page(meter(1), following=f"{lists.address}{PATH}"))
    with pytest.raises(SourceFailed, match="over 3 pages"):
        _prices(lists, web, "Virtual Machines", MACHINES)

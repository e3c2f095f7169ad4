"""Azure's Retail Prices API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost.prices.live.azure_retail import offers
from gpucluster.cost.prices.live.queries import queries
from gpucluster.cost.prices.live.query import Doubt, Query, quoted
from gpucluster.cost.prices.live.web import SourceFailed, Web

from .fakes import Lists, meter, page

PATH = "/api/retail/prices"
MACHINES = [query.of("Standard_ND96isr_H100_v5") for query in queries("azure") if query.service == "Virtual Machines"]


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
    assert asked["$filter"] == (
        "serviceName eq 'Virtual Machines' and armRegionName eq 'eastus' and armSkuName eq 'Standard_ND96isr_H100_v5'"
    )
    assert (asked["currencyCode"], asked["meterRegion"]) == ("'USD'", "'primary'")


def test_one_question_serves_all_ways_to_buy_a_machine(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32)))
    assert _prices(lists, web, "Virtual Machines", MACHINES) == [Decimal("98.32"), None, None, None]
    assert lists.times(PATH) == 1


def test_a_link_with_the_port_of_https_is_followed_without_it(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32), following="http://127.0.0.1:443/x"))
    with pytest.raises(SourceFailed, match=re.escape("http://127.0.0.1/x: ")):
        _prices(lists, web, "Virtual Machines", MACHINES)


def test_a_tebibyte_an_hour_becomes_a_gibibyte_a_month(lists: Lists, web: Web) -> None:
    item = meter(0.2, serviceName="Azure Managed Lustre", productName="Azure Managed Lustre", armSkuName="",
                 skuName="Durable Premium 250", meterName="Premium 250 Data Stored",
                 unitOfMeasure="1 TiB/Hour")  # fmt: skip
    lists.put(PATH, page(item))
    asked = [query for query in queries("azure") if query.service == "Azure Managed Lustre"]
    found = {
        query.sku: price for query, price in zip(asked, _prices(lists, web, "Azure Managed Lustre", asked), strict=True)
    }
    assert found == {
        "AMLFS-Durable-Premium-40": None, "AMLFS-Durable-Premium-125": None,
        "AMLFS-Durable-Premium-250": Decimal("0.2") * 730 / 1024, "AMLFS-Durable-Premium-500": None,
    }  # fmt: skip


def test_two_meters_for_one_machine_are_doubted(lists: Lists, web: Web) -> None:
    lists.put(PATH, page(meter(98.32), meter(99.0, meterId="m-9")))
    with pytest.raises(
        Doubt, match=re.escape("2 offers match where one is expected: meter m-1 p/s Consumption at $98.32")
    ):
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
    monkeypatch.setattr("gpucluster.cost.prices.live.azure_retail._MOST_PAGES", 3)
    lists.put(PATH, page(meter(1), following=f"{lists.address}{PATH}"))
    with pytest.raises(SourceFailed, match="over 3 pages"):
        _prices(lists, web, "Virtual Machines", MACHINES)

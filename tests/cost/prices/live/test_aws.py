"""AWS's bulk files and query API."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost.prices.live import aws
from gpucluster.cost.prices.live.query import Offer, Query, quoted
from gpucluster.cost.prices.live.sources import queries
from gpucluster.cost.prices.live.web import SourceFailed, Web
from gpucluster.errors import InputError
from tests.says import Says

from .fakes import MACHINE, PLANS_HEADER, Lists, Reply, machine, offer_file, region_index

INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
FILE = "/offers/v1.0/aws/AmazonEC2/20261120170746/us-east-1/index.csv"
GP3 = {"TermType": "OnDemand", "OfferTermCode": "JRTCKXETXF", "SKU": "G3", "Unit": "GB-Mo",
       "PricePerUnit": "0.0800000000",
       "Currency": "USD", "Product Family": "Storage", "usageType": "EBS:VolumeUsage.gp3"}  # fmt: skip


def _asked(*skus: str, service: str = "AmazonEC2", purchase: str = "on_demand") -> list[Query]:
    return [
        query.of(sku, "us-east-1")
        for query in queries("aws")
        for sku in skus
        if (query.service, query.purchase) == (service, purchase)
        and (query.sku == sku or ("." in sku and query.is_of_machines))
    ]


def _price(query: Query, offers: list[Offer]) -> Decimal:
    found = quoted(query, offers)
    assert found is not None
    return found.tiers[0][1]


def test_of_all_rows_of_a_machine_the_one_of_linux_on_demand_counts(lists: Lists, web: Web, said: list[str]) -> None:
    lists.put(INDEX, region_index("AmazonEC2", "us-east-1"))
    others = [
        machine("p5.48xlarge", "98.3200000000", "M2", Operating_System="Windows"),
        machine("p5.48xlarge", "0.0000000000", "M3", CapacityStatus="AllocatedCapacityReservation"),
        machine("p5.48xlarge", "55.0400000000", "M4", CapacityStatus="UnusedCapacityReservation"),
        machine("p5.48xlarge", "31.4640000000", "M5", MarketOption="CapacityBlock"),
        machine("p5.48xlarge", "60.5440000000", "M6", Tenancy="Dedicated"),
        {**machine("p5.48xlarge", "200000", "M1"), "TermType": "Reserved", "Unit": "Quantity"},
        machine("p5.4xlarge", "6.8800000000", "M7"),
    ]
    lists.put(FILE, offer_file(*others, machine("p5.48xlarge", "55.0400000000", "M1"), GP3))
    asked = _asked("p5.48xlarge", "ebs-gp3")
    ((region, offers),) = aws.file_offers(web, "AmazonEC2", ["us-east-1", "mars-1"], asked, lists.address)
    assert (region, [_price(query, offers) for query in asked]) == ("us-east-1", [Decimal("55.04"), Decimal("0.08")])
    assert {offer.as_of for offer in offers} == {"2026-11-20"}
    assert said == [Says("AWS", "AmazonEC2", "us-east-1", "9", "2026-11-20", "2")]


def test_reserved_prices_are_of_an_hour_of_the_term_whatever_is_paid_ahead(lists: Lists, web: Web) -> None:
    """m5.4xlarge of us-east-1: $3,956 ahead for one year is $0.451598 an hour, as the book has it."""
    lists.put(INDEX, region_index("AmazonEC2", "us-east-1"))

    def reserved(price: str, years: int, option: str, **other: str) -> dict[str, str]:
        return {
            **machine("m5.4xlarge", price), "TermType": "Reserved", "LeaseContractLength": f"{years}yr",
            "PurchaseOption": option, "OfferingClass": "standard", "OfferTermCode": f"{option} {years}", **other,
        }  # fmt: skip

    rows = [
        machine("m5.4xlarge", "0.7680000000"),
        reserved("0.4840000000", 1, "No Upfront"),
        reserved("0.5520000000", 1, "No Upfront", OfferingClass="convertible", OfferTermCode="other"),
        reserved("2019", 1, "Partial Upfront", Unit="Quantity"),
        reserved("0.2300000000", 1, "Partial Upfront"),
        reserved("3956", 1, "All Upfront", Unit="Quantity"),
        reserved("0.0000000000", 1, "All Upfront"),
        reserved("7589", 3, "All Upfront", Unit="Quantity"),
        reserved("0.0000000000", 3, "All Upfront"),
    ]
    lists.put(FILE, offer_file(*rows))
    asked = _asked("m5.4xlarge", purchase="reserved")
    ((_, offers),) = aws.file_offers(web, "AmazonEC2", ["us-east-1"], asked, lists.address)
    quotes = {query.term: quoted(query, offers) for query in asked}
    prices = {term: quote and quote.tiers[0][1].quantize(Decimal("1e-6")) for term, quote in quotes.items()}
    assert prices == {"1y": Decimal("0.484"), "1y-all": Decimal("0.451598"), "3y": None, "3y-all": Decimal("0.288775")}


def test_savings_plans_are_told_apart_by_term_and_kind(lists: Lists, web: Web) -> None:
    path = "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan"
    lists.put(f"{path}/current/region_index.json", {"publicationDate": "2026-11-20T18:44:47Z", "regions": [
        {"regionCode": "us-east-1", "versionUrl": f"{path}/1/us-east-1/index.json"}]})  # fmt: skip
    rate = {"SKU": "C1", "Unit": "Hrs", "Currency": "USD", "DiscountedSKU": "M1", "DiscountedServiceCode": "AmazonEC2",
            "DiscountedUsageType": "BoxUsage:p5.48xlarge", "DiscountedOperation": "RunInstances",
            "PurchaseOption": "No Upfront", "LeaseContractLength": "1", "LeaseContractLengthUnit": "year",
            "Product Family": "ComputeSavingsPlans", "DiscountedInstanceType": "p5.48xlarge"}  # fmt: skip
    rows = [
        {**rate, "DiscountedRate": "40.5"},
        {**rate, "DiscountedRate": "25.5", "SKU": "C3", "LeaseContractLength": "3"},
        {**rate, "DiscountedRate": "38.5", "SKU": "E1", "Product Family": "EC2InstanceSavingsPlans"},
        {**rate, "DiscountedRate": "36.5", "SKU": "C2", "PurchaseOption": "All Upfront"},
        {**rate, "DiscountedRate": "90.5", "DiscountedOperation": "RunInstances:0002"},
    ]
    lists.put(f"{path}/1/us-east-1/index.csv", offer_file(*rows, header=PLANS_HEADER))
    asked = [
        *_asked("p5.48xlarge", service="AWSComputeSavingsPlan", purchase="savings_plan"),
        *_asked("p5.48xlarge", service="AWSComputeSavingsPlan", purchase="instance_savings_plan"),
    ]
    assert len(asked) == 12
    ((_, offers),) = aws.file_offers(web, "AWSComputeSavingsPlan", ["us-east-1"], asked, lists.address)
    quotes = {(query.purchase, query.term): quoted(query, offers) for query in asked}
    assert {plan: quote.tiers[0][1] for plan, quote in quotes.items() if quote is not None} == {
        ("savings_plan", "1y"): Decimal("40.5"),
        ("savings_plan", "1y-all"): Decimal("36.5"),
        ("savings_plan", "3y"): Decimal("25.5"),
        ("instance_savings_plan", "1y"): Decimal("38.5"),
    }


def test_spot_prices_are_those_of_the_page_for_linux(lists: Lists, web: Web) -> None:
    def size(name: str, linux: str) -> dict[str, Any]:
        columns = [{"name": "linux", "prices": {"USD": linux}}, {"name": "mswin", "prices": {"USD": "99"}}]
        return {"size": name, "valueColumns": columns}

    east = {"region": "us-east-1", "instanceTypes": [
        {"type": "a", "sizes": [size("p5.48xlarge", "19.25")]}, {"type": "b", "sizes": [size("p5e.48xlarge", "N/A*")]},
    ]}  # fmt: skip
    lists.put("/spot.json", {"vers": 0.01, "config": {"rate": "perhr", "regions": [east]}})
    asked = _asked("p5.48xlarge", "p5e.48xlarge", service=aws.SPOT_SERVICE, purchase="spot")
    regions = ["us-east-1", "mars-1"]
    ((region, found),) = aws.spot_offers(web, regions, "2026-11-21", lists.address)
    quotes = [quoted(query, found) for query in asked]
    assert (region, [quote and quote.tiers[0][1] for quote in quotes]) == ("us-east-1", [Decimal("19.25"), None])
    lists.put("/spot.json", {"config": {"regions": [{"region": "us-east-1"}]}})
    with pytest.raises(SourceFailed, match=r"/spot\.json: unexpected answer \(KeyError"):
        list(aws.spot_offers(web, regions, "2026-11-21", lists.address))


def test_what_is_priced_alike_everywhere_is_looked_for_in_the_file_of_all_regions(lists: Lists, web: Web) -> None:
    zone = {
        **GP3,
        "Product Family": "DNS Zone",
        "usageType": "HostedZone",
        "PricePerUnit": "0.50",
        "Unit": "HostedZone",
    }
    lists.put("/offers/v1.0/aws/AmazonRoute53/current/index.csv", offer_file(zone))
    (query,) = _asked("route53-hosted-zone", service="AmazonRoute53")
    ((region, found),) = aws.file_offers(web, "AmazonRoute53", ["global"], [query], lists.address)
    assert (region, _price(query, found)) == ("global", Decimal("0.5"))


def test_a_graduated_price_is_one_offer(lists: Lists, web: Web) -> None:
    path = "/offers/v1.0/aws/AmazonS3"
    lists.put(f"{path}/current/region_index.json", region_index("AmazonS3", "us-west-2"))
    row = {**GP3, "usageType": "USW2-TimedStorage-ByteHrs", "SKU": "S3"}
    tiers = [("512000", "0.0210"), ("0", "0.0230"), ("51200", "0.0220")]
    lists.put(f"{path}/20261120170746/us-west-2/index.csv",
              offer_file(*({**row, "StartingRange": start, "PricePerUnit": usd} for start, usd in tiers)))  # fmt: skip
    (query,) = _asked("s3-standard", service="AmazonS3")
    ((_, offers),) = aws.file_offers(web, "AmazonS3", ["us-west-2"], [query], lists.address)
    found = quoted(query, offers)
    assert found is not None
    assert found.tiers == ((0, Decimal("0.023")), (51200, Decimal("0.022")), (512000, Decimal("0.021")))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (offer_file(machine("p5.48xlarge", "55"), published="").replace('"Publication Date"', '"Published"'),
         "line 6 is not the expected header; its shape has changed"),
        (offer_file(machine("p5.48xlarge", "55")).replace('"usageType"', '"usage"'),
         "line 6 is not the expected header; its shape has changed"),
        (offer_file(machine("p5.48xlarge", "55")).replace(',"us-east-1"', "").rpartition(',')[0],
         "columns; the file is cut off"),
        (offer_file(machine("p5.48xlarge", "many")), "the price of M1 is 'many', expected a number of 0 or more"),
        (offer_file(machine("p5.48xlarge", "55", Currency="CNY")), "M1 is priced in 'CNY', expected USD"),
        ("", "line 6 is not the expected header"),
        (Reply(offer_file(machine("p5.48xlarge", "55")), cut=9), "the file breaks off"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_what_it_was_fails(lists: Lists, web: Web, file: str | Reply, message: str) -> None:
    lists.put(INDEX, region_index("AmazonEC2", "us-east-1"))
    lists.put(FILE, file)
    with pytest.raises(SourceFailed, match=re.escape(FILE) + ".*" + re.escape(message)):
        list(aws.file_offers(web, "AmazonEC2", ["us-east-1"], _asked("p5.48xlarge"), lists.address))


@pytest.mark.parametrize("index", [{}, {"regions": {}}, {"regions": {"us-east-1": {"regionCode": "us-east-1"}}}])
def test_an_index_without_files_fails(lists: Lists, web: Web, index: Mapping[str, Any]) -> None:
    lists.put(INDEX, index)
    with pytest.raises(SourceFailed, match="its shape has changed"):
        list(aws.file_offers(web, "AmazonEC2", ["us-east-1"], _asked("p5.48xlarge"), lists.address))


def test_of_a_large_file_only_what_was_wanted_is_kept(lists: Lists, tmp_path: Path, said: list[str]) -> None:
    lists.put(INDEX, region_index("AmazonEC2", "us-east-1"))
    lists.put(FILE, offer_file(machine("p5.48xlarge", "55.04"), machine("m5.xlarge", "0.192", "M9")))
    for sku, times in (("p5.48xlarge", 1), ("p5.48xlarge", 1), ("m5.xlarge", 2)):
        web, asked = Web(said.append, folder=tmp_path, max_age=60), _asked(sku)
        ((_, offers),) = aws.file_offers(web, "AmazonEC2", ["us-east-1"], asked, lists.address)
        assert (len(offers), lists.times(FILE)) == (1, times)


class _Products:
    """Pages of the query API; remembers what it was asked."""

    def __init__(self, *pages: list[Any]) -> None:
        self.pages, self.asked = list(pages), list[dict[str, Any]]()

    def get_products(self, **arguments: Any) -> Mapping[str, Any]:
        self.asked.append(dict(arguments))
        items = self.pages.pop(0)
        more = {"NextToken": "next"} if self.pages else {}
        return {"FormatVersion": "aws_v1", "PriceList": [json.dumps(item) for item in items], **more}


def _product(price: str, sku: str = "M1", **attributes: str) -> dict[str, Any]:
    said = {"instanceType": "p5.48xlarge", "operatingSystem": "Linux", "tenancy": "Shared", "capacitystatus": "Used",
            "preInstalledSw": "NA", "licenseModel": "No License required", "marketoption": "OnDemand",
            **attributes}  # fmt: skip
    dimension = {f"{sku}.J.6": {"unit": "Hrs", "beginRange": "0", "endRange": "Inf", "pricePerUnit": {"USD": price}}}
    term = {f"{sku}.J": {"offerTermCode": "J", "sku": sku, "priceDimensions": dimension, "termAttributes": {}}}
    return {"product": {"productFamily": MACHINE["Product Family"], "attributes": said, "sku": sku},
            "serviceCode": "AmazonEC2", "terms": {"OnDemand": term}, "version": "1",
            "publicationDate": "2026-11-19T17:07:46Z"}  # fmt: skip


def test_the_query_api_gives_the_same_offers_page_by_page(said: list[str]) -> None:
    products = _Products([_product("0.0", "M3", capacitystatus="AllocatedCapacityReservation")], [_product("55.04")])
    (query,) = _asked("p5.48xlarge")
    ((_, offers),) = aws.product_offers(products, "AmazonEC2", ["us-east-2"], [query], said.append)
    assert (_price(query, offers), offers[0].as_of) == (Decimal("55.04"), "2026-11-19")
    filters = {one["Field"]: one["Value"] for one in products.asked[0]["Filters"]}
    assert (filters["instanceType"], filters["regionCode"], filters["preInstalledSw"]) == (
        "p5.48xlarge",
        "us-east-2",
        "NA",
    )
    assert [asked.get("NextToken") for asked in products.asked] == [None, "next"]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"product": {}}, "an item has no product or terms"),
        ({**_product("1"), "terms": {"OnDemand": {"a": {"priceDimensions": {"b": {"pricePerUnit": {"CNY": "9"}}}}}}},
         "M1 has no price in USD"),
    ],
)  # fmt: skip
def test_an_item_of_another_shape_fails(item: Mapping[str, Any], message: str) -> None:
    with pytest.raises(SourceFailed, match=message):
        list(aws.product_offers(_Products([item]), "AmazonEC2", ["us-east-1"], _asked("p5.48xlarge"), print))


def test_what_boto_raises_is_said_with_its_name() -> None:
    class Refused(_Products):
        def get_products(self, **_: Any) -> Mapping[str, Any]:
            raise PermissionError("not authorized to perform: pricing:GetProducts")

    with pytest.raises(
        SourceFailed, match="AmazonEC2: PermissionError: not authorized to perform: pricing:GetProducts"
    ):
        list(aws.product_offers(Refused(), "AmazonEC2", ["us-east-1"], _asked("p5.48xlarge"), print))


def test_without_boto_there_is_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("boto"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setattr("importlib.import_module", lambda name: missing(name))
    with pytest.raises(InputError, match="--aws-by api needs boto3"):
        aws.client()

"""The price lists of AWS: bulk files, the query API, and the page of spot prices.

Bulk files: one CSV file per service and region, hundreds of MB for EC2, read as a stream. `region_index.json` names the
current version of each region's file, which has five lines of preamble, a header, and a row for each price. Savings
plans have files too. Source: AWS Billing User Guide, "AWS Price List Bulk API".

Query API: by boto3 (the extra `prices-aws`) and credentials that allow `pricing:GetProducts`. The same offers, filtered
by the server: seconds instead of gigabytes. Endpoints exist only in us-east-1, eu-central-1 and ap-south-1, for prices
of all regions. Each item of a response is a JSON text.

Spot prices: one JSON file for all regions, without credentials, undocumented. Its format, according to programs that
read it: `config.regions[].instanceTypes[].sizes[]`, each with `valueColumns[]` of an operating system and `prices.USD`,
`N/A*` if nothing is offered. Prices per zone are available only to an account.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Protocol

from gpucluster.core.environment import installing
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.prices.live.query import Offer, Query, Tier, amount, plain
from gpucluster.cost.prices.live.web import Say, SourceFailed, Web
from gpucluster.errors import InputError

ADDRESS: Final = "https://pricing.us-east-1.amazonaws.com"
SAVINGS_PLANS: Final = "AWSComputeSavingsPlan"

_GLOBAL: Final = "global"
"""The book's region of prices that are equal everywhere; only the file of all regions contains them."""
_PREAMBLE: Final = 5
_PUBLISHED: Final = "Publication Date"
_NOTHING: Final[list[str]] = []
_ONE: Final = ("sku", "discountedsku", "offertermcode", "leasecontractlength", "purchaseoption", "offeringclass")
"""Columns whose values rows of one offer share; such rows are its tiers."""
_NEEDED: Final = {"sku", "unit", "usagetype"}
_RATE: Final = {"discountedrate": "priceperunit"}
"""Column of a savings plan's file -> the equivalent column of an offer file."""


def file_offers(
    web: Web, service: str, regions: Sequence[str], asked: Sequence[Query], address: str = ADDRESS
) -> Iterator[tuple[str, list[Offer]]]:
    """(region, offers that a query may match) for the regions of the service. Raises SourceFailed."""
    plans = service == SAVINGS_PLANS
    folder = f"{address}/{'savingsPlan' if plans else 'offers'}/v1.0/aws/{service}/current"
    index = f"{folder}/region_index.json"
    files = _files(web.document(index), index) if {*regions} - {_GLOBAL} else {}
    for region in regions:
        if region in files or region == _GLOBAL:
            path = files.get(region, "").removesuffix(".json")
            url = f"{address}{path}.csv" if path else f"{folder}/index.csv"
            yield region, _kept(web, url, asked) or _read(web, url, f"AWS {service} {region}", asked)


def _files(index: Mapping[str, Any], where: str) -> dict[str, str]:
    """Region -> path of its current file."""
    regions = index.get("regions")
    listed = list(regions.values()) if is_object(regions) else regions
    files: dict[str, str] = {}
    for one in listed if is_list(listed) else ():
        path = (one.get("currentVersionUrl") or one.get("versionUrl")) if is_object(one) else None
        region = one.get("regionCode") if is_object(one) else None
        if not isinstance(path, str) or not isinstance(region, str):
            raise SourceFailed(f"{where}: a region has no regionCode or no file; its shape has changed")
        files[region] = path
    if not files:
        raise SourceFailed(f"{where}: no regions; its shape has changed")
    return files


def _read(web: Web, url: str, what: str, asked: Sequence[Query]) -> list[Offer]:
    rows = web.rows(url, skip=0)
    preamble = [row for _, row in zip(range(_PREAMBLE), rows, strict=False)]
    published = next((row[1][:10] for row in preamble if len(row) > 1 and row[0] == _PUBLISHED), "")
    header = [_RATE.get(name, name) for name in map(plain, next(rows, _NOTHING))]
    if not published or not set(header) >= _NEEDED | {"priceperunit", "currency"}:
        raise SourceFailed(f"{url}: line {_PREAMBLE + 1} is not the expected header; its shape has changed")
    count = 0

    def records() -> Iterator[dict[str, str]]:
        nonlocal count
        for count, row in enumerate(rows, 1):
            if len(row) != len(header):
                raise SourceFailed(f"{url}: row {count} has {len(row)} of {len(header)} columns; the file is cut off")
            yield dict(zip(header, row, strict=True))

    found = selected(records(), asked, published, url)
    web.say(f"{what}: {count:,} rows of {published}, {len(found)} offers of interest")
    web.keep(_name(url, asked), json.dumps([_saved(offer) for offer in found]))
    return found


def selected(records: Iterable[Mapping[str, str]], asked: Sequence[Query], published: str, where: str) -> list[Offer]:
    """The offers that a query may match, with their prices as tiers. Raises SourceFailed."""
    by_machine: dict[str, list[Query]] = {}
    others: list[Query] = []
    for query in asked:
        machine = query.parts[0].exact.get("instancetype") or query.parts[0].exact.get("discountedinstancetype")
        (by_machine.setdefault(machine, []) if machine else others).append(query)
    found: dict[str, tuple[Mapping[str, str], list[Tier]]] = {}
    for record in records:
        machine = record.get("instancetype") or record.get("discountedinstancetype") or ""
        offer = Offer(record.get("ratecode") or record["sku"], record, record["unit"], (), published)
        for query in by_machine.get(machine, others) if machine else others:
            if query.parts[0].matches(offer):
                if record["currency"] != "USD":
                    raise SourceFailed(f"{where}: {record['sku']} is priced in {record['currency']!r}, expected USD")
                name = " ".join(record.get(field, "") for field in _ONE)
                usd = amount(record["priceperunit"], f"{where}: the price of {record['sku']}")
                start = amount(record.get("startingrange") or 0, f"{where}: the first unit of {record['sku']}")
                found.setdefault(name, (record, []))[1].append(Tier(start, usd))
                break
    return [
        Offer(
            f"SKU {record['sku']}", record, record["unit"], tuple(sorted(tiers, key=lambda tier: tier.start)), published
        )
        for record, tiers in found.values()
    ]


def _name(url: str, asked: Sequence[Query]) -> str:
    """Cache key of a file's offers: the file's version and the queries."""
    return f"{url} {hashlib.sha256(repr(sorted(map(repr, asked))).encode()).hexdigest()}"


def _kept(web: Web, url: str, asked: Sequence[Query]) -> list[Offer]:
    kept = web.kept(_name(url, asked))
    return [] if kept is None else [_loaded(saved) for saved in json.loads(kept)]


def _saved(offer: Offer) -> dict[str, Any]:
    tiers = [[str(tier.start), str(tier.usd)] for tier in offer.tiers]
    return {"id": offer.id, "fields": dict(offer.fields), "unit": offer.unit, "tiers": tiers, "as_of": offer.as_of}


def _loaded(saved: Mapping[str, Any]) -> Offer:
    tiers = tuple(Tier(Decimal(start), Decimal(usd)) for start, usd in saved["tiers"])
    return Offer(saved["id"], saved["fields"], saved["unit"], tiers, saved["as_of"])


_ENDPOINT_REGION: Final = "us-east-1"
_FILTERS: Final = {
    "capacitystatus": "capacitystatus", "deploymentoption": "deploymentOption", "filesystemtype": "fileSystemType",
    "instancetype": "instanceType", "licensemodel": "licenseModel", "marketoption": "marketoption",
    "operatingsystem": "operatingSystem", "preinstalledsw": "preInstalledSw", "productfamily": "productFamily",
    "storagetype": "storageType", "tenancy": "tenancy", "volumeapiname": "volumeApiName",
}  # fmt: skip
"""Field of a condition -> its name in the API; other conditions are evaluated here."""


class Products(Protocol):
    """The only method of boto3's client `pricing` that is used."""

    def get_products(self, **arguments: Any) -> Mapping[str, Any]:
        """One page of products."""
        ...


def client() -> Products:
    """boto3's client. Raises InputError if boto3 is not installed."""
    try:
        boto3: Any = importlib.import_module("boto3")
        config: Any = importlib.import_module("botocore.config")
    except ImportError:
        raise InputError(
            f"--aws-by api needs boto3, which is not installed: {installing('boto3')}, or use --aws-by files"
        ) from None
    retries = config.Config(retries={"mode": "adaptive", "max_attempts": 8})
    return boto3.client("pricing", region_name=_ENDPOINT_REGION, config=retries)


def product_offers(
    products: Products, service: str, regions: Sequence[str], asked: Sequence[Query], say: Say
) -> Iterator[tuple[str, list[Offer]]]:
    """(region, offers that a query may match). Raises SourceFailed. The API has no savings plans."""
    for region in regions:
        found: dict[str, Offer] = {}
        for filters in {tuple(sorted(_filters(query).items())) for query in asked}:
            records = list(_records(products, service, {**dict(filters), **_place(region)}))
            published = max((record["publicationdate"] for record in records), default="")[:10]
            for offer in selected(records, asked, published, f"AWS {service} {region}"):
                found[f"{offer.id} {offer.fields.get('offertermcode', '')}"] = offer
        say(f"AWS {service} {region}: {len(found)} offers of interest")
        yield region, list(found.values())


def _place(region: str) -> dict[str, str]:
    return {} if region == "global" else {"regionCode": region}


def _filters(query: Query) -> dict[str, str]:
    return {_FILTERS[field]: value for field, value in query.parts[0].exact.items() if field in _FILTERS}


def _records(products: Products, service: str, filters: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """A record for each price, with the fields of a row of the bulk file."""
    arguments: dict[str, Any] = {
        "ServiceCode": service,
        "FormatVersion": "aws_v1",
        "MaxResults": 100,
        "Filters": [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()],
    }
    while True:
        try:
            page = products.get_products(**arguments)
            items = [json.loads(item) for item in page["PriceList"]]
        except (KeyError, TypeError, ValueError) as error:
            raise SourceFailed(f"AWS {service}: unexpected page of products ({error!r})") from None
        except Exception as error:  # boto3's own exceptions, whose classes it creates at run time
            raise SourceFailed(f"AWS {service}: {type(error).__name__}: {error}") from None
        for item in items:
            yield from _prices(item, service)
        token = page.get("NextToken")
        if not token:
            return
        arguments["NextToken"] = token


def _prices(item: Mapping[str, Any], service: str) -> Iterator[dict[str, str]]:
    product, terms = item.get("product"), item.get("terms")
    if not is_object(product) or not is_object(terms) or not is_object(product.get("attributes")):
        raise SourceFailed(f"AWS {service}: an item has no product or terms; the shape of the API has changed")
    fields = {plain(name): str(value) for name, value in product["attributes"].items()}
    fields |= {"sku": str(product.get("sku", "")), "productfamily": str(product.get("productFamily", ""))}
    fields["publicationdate"] = str(item.get("publicationDate", ""))
    for kind, by_code in terms.items():
        for term in by_code.values():
            attributes = {plain(name): str(value) for name, value in term.get("termAttributes", {}).items()}
            for price in term.get("priceDimensions", {}).values():
                if "USD" not in price.get("pricePerUnit", {}):
                    raise SourceFailed(f"AWS {service}: {fields['sku']} has no price in USD")
                yield {
                    **fields, **attributes, "termtype": str(kind), "offertermcode": str(term.get("offerTermCode", "")),
                    "unit": str(price.get("unit", "")), "priceperunit": str(price["pricePerUnit"]["USD"]),
                    "currency": "USD", "startingrange": str(price.get("beginRange", "0")),
                }  # fmt: skip


SPOT_ADDRESS: Final = "https://website.spot.ec2.aws.a2z.com"
SPOT_SERVICE: Final = "EC2 spot prices"


def spot_offers(
    web: Web, regions: Sequence[str], today: str, address: str = SPOT_ADDRESS
) -> Iterator[tuple[str, list[Offer]]]:
    """(region, its offers) for the regions of the page. Raises SourceFailed."""
    url = f"{address}/spot.json"
    document = web.document(url)
    try:
        places = {str(place["region"]): list(_of_region(place, today)) for place in document["config"]["regions"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceFailed(f"{url}: unexpected answer ({error!r}); its shape has changed") from None
    web.say(f"AWS {SPOT_SERVICE}: {len(places)} regions")
    yield from ((region, places[region]) for region in regions if region in places)


def _of_region(place: Mapping[str, Any], today: str) -> Iterator[Offer]:
    for group in place["instanceTypes"]:
        for size in group["sizes"]:
            for column in size["valueColumns"]:
                name, usd = str(size["size"]), str(column["prices"]["USD"])
                if usd[:1].isdigit():
                    tier = Tier(amount(0, name), amount(usd, f"the spot price of {name}"))
                    fields = {"instancetype": name, "operatingsystem": str(column["name"])}
                    yield Offer(f"{name} {column['name']}", fields, "Hrs", (tier,), today)

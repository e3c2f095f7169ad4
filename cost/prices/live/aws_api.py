"""AWS's Price List Query API, by boto3 (the extra `prices-aws`) and credentials that allow `pricing:GetProducts`.

The same offers as the bulk files, filtered by the server: seconds instead of gigabytes. Endpoints exist only in
us-east-1, eu-central-1 and ap-south-1, for prices of all regions. Each item of a response is a JSON text.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from gpucluster.core.environment import installing
from gpucluster.core.program.values import is_object
from gpucluster.cost.prices.live.aws_offers import selected
from gpucluster.cost.prices.live.query import Offer, Query, plain
from gpucluster.cost.prices.live.web import Say, SourceFailed
from gpucluster.errors import InputError

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


def offers(
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
            said = {plain(name): str(value) for name, value in term.get("termAttributes", {}).items()}
            for price in term.get("priceDimensions", {}).values():
                if "USD" not in price.get("pricePerUnit", {}):
                    raise SourceFailed(f"AWS {service}: {fields['sku']} has no price in USD")
                yield {
                    **fields, **said, "termtype": str(kind), "offertermcode": str(term.get("offerTermCode", "")),
                    "unit": str(price.get("unit", "")), "priceperunit": str(price["pricePerUnit"]["USD"]),
                    "currency": "USD", "startingrange": str(price.get("beginRange", "0")),
                }  # fmt: skip

"""Google's Cloud Billing Catalog: all SKUs of a service, in pages. Needs an API key although its data are public.

Machine (Cloud Billing documentation, "Cloud Billing Catalog API", `services.list` and `services.skus.list`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.prices.live.offer import Offer, Tier, amount
from gpucluster.cost.prices.live.web import SourceFailed, Web
from gpucluster.program.values import is_list, is_object

ADDRESS: Final = "https://cloudbilling.googleapis.com"
_NANO: Final = Decimal("1e-9")
_MOST_PAGES: Final = 200
_NO_PRICE: Final[Mapping[str, Any]] = {"usageUnit": "", "tieredRates": ()}


def offers(
    web: Web, service: str, regions: Sequence[str], today: str, key: str, address: str = ADDRESS
) -> Iterator[tuple[str, list[Offer]]]:
    """(region, all offers of a service there). service: its display name. Raises SourceFailed."""
    by_name = {str(item.get("displayName")): item for item in _pages(web, f"{address}/v1/services", "services", key)}
    if service not in by_name:
        raise SourceFailed(f"Google Cloud has no service called {service!r}; its name has changed")
    skus = list(_pages(web, f"{address}/v1/{by_name[service].get('name')}/skus", "skus", key))
    web.say(f"Google Cloud {service}: {len(skus):,} SKUs")
    for region in regions:
        yield region, [_offer(sku, today) for sku in skus if _sold_in(sku, region)]


def _pages(web: Web, url: str, name: str, key: str) -> Iterator[Mapping[str, Any]]:
    token = ""
    for _ in range(_MOST_PAGES):
        page = web.document(url, {"pageSize": "5000", **({"pageToken": token} if token else {})}, key=key)
        items = page.get(name)
        if not is_list(items) or any(not is_object(item) for item in items):
            raise SourceFailed(f"{url}: a page has no {name}; the shape of the API has changed")
        yield from items
        token = str(page.get("nextPageToken") or "")
        if not token:
            return
    raise SourceFailed(f"{url}: over {_MOST_PAGES} pages")


def _sold_in(sku: Mapping[str, Any], region: str) -> bool:
    places = sku.get("serviceRegions")
    return is_list(places) and (region in places or "global" in places)


def _offer(sku: Mapping[str, Any], today: str) -> Offer:
    """One SKU at its newest price; without tiers if the catalog has no price."""
    name = f"SKU {sku.get('skuId')}"
    try:
        category, pricing = sku["category"], sku["pricingInfo"]
        expression: Mapping[str, Any] = pricing[-1]["pricingExpression"] if pricing else _NO_PRICE
        tiers = tuple(_tier(rate, name) for rate in expression["tieredRates"])
        fields = {
            "description": str(sku["description"]),
            "usagetype": str(category["usageType"]),
            "resourcefamily": str(category["resourceFamily"]),
            "resourcegroup": str(category["resourceGroup"]),
        }
        unit = str(expression["usageUnit"])
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceFailed(f"Google Cloud {name} has an unexpected form ({error!r}); its shape has changed") from None
    return Offer(name, fields, unit, tuple(sorted(tiers, key=lambda tier: tier.start)), today)


def _tier(rate: Mapping[str, Any], name: str) -> Tier:
    price = rate["unitPrice"]
    if price.get("currencyCode", "USD") != "USD":
        raise SourceFailed(f"Google Cloud {name} is priced in {price['currencyCode']!r}, expected USD")
    whole = amount(price.get("units") or 0, f"units of Google Cloud {name}")
    nanos = amount(price.get("nanos") or 0, f"nanos of Google Cloud {name}")
    return Tier(amount(rate.get("startUsageAmount", 0), f"startUsageAmount of {name}"), whole + nanos * _NANO)

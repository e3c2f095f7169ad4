"""Azure's Retail Prices API, which needs no account: pages of at most 1,000 items, filtered by the server.

Machine (Microsoft Learn, "Azure Retail Prices REST API overview"): `Items`, and `NextPageLink` until the last page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.prices.live.query import Offer, Query, Tier, amount, plain
from gpucluster.cost.prices.live.web import SourceFailed, Web

ADDRESS: Final = "https://prices.azure.com"
_VERSION: Final = "2023-01-01-preview"
_FILTERS: Final = {
    "armregionname": "armRegionName", "armskuname": "armSkuName",
    "metername": "meterName", "productname": "productName", "skuname": "skuName",
}  # fmt: skip
"""Field of a condition -> its name in the API; other conditions are evaluated here."""
_NOT_PRIMARY: Final = "serviceName eq 'Bandwidth'"
"""Traffic has one meter for many regions, primary in one of them; for other services only primary meters are used."""
_EVERYWHERE: Final = "Global"
"""Region of items with one price for all regions, such as a load balancer."""
_HOURS: Final = {"1 Year": Decimal(8760), "3 Years": Decimal(26280)}
"""A reservation's price is for its whole term, although its unit says one hour."""
_MOST_PAGES: Final = 1000


def offers(
    web: Web, service: str, regions: Sequence[str], asked: Sequence[Query], today: str, address: str = ADDRESS
) -> Iterator[tuple[str, list[Offer]]]:
    """(region, offers that a query may match): several regions at once, filtered by the server where it can.

    Raises SourceFailed.
    """
    found: dict[str, dict[str, Offer]] = {region: {} for region in regions}
    only = f" and armRegionName eq '{regions[0]}'" if len(regions) == 1 else ""
    for filters in dict.fromkeys(_filter(query, service) for query in asked):
        own = "" if "armRegionName" in filters else only
        by_place: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for item in _items(web, filters + own, address):
            by_place.setdefault((str(item.get("armRegionName")), _id(item)), []).append(item)
        for (place, name), items in by_place.items():
            offer = _offer(name, items, today)
            for region in regions if place == _EVERYWHERE else [place] if place in found else []:
                found[region][name] = offer
    for region, offered in found.items():
        web.say(f"Azure {service} {region}: {len(offered)} offers")
        yield region, list(offered.values())


def _filter(query: Query, service: str) -> str:
    exact = {_FILTERS[field]: value for field, value in query.parts[0].exact.items() if field in _FILTERS}
    return " and ".join(f"{field} eq '{value}'" for field, value in {"serviceName": service, **exact}.items())


def _items(web: Web, filters: str, address: str) -> Iterator[Mapping[str, Any]]:
    url = f"{address}/api/retail/prices"
    params: Mapping[str, str] | None = {"api-version": _VERSION, "currencyCode": "'USD'", "$filter": filters}
    if _NOT_PRIMARY not in filters:
        params = {**params, "meterRegion": "'primary'"}
    for _ in range(_MOST_PAGES):
        page = web.document(url, params)
        items = page.get("Items")
        if not is_list(items) or any(not is_object(item) for item in items):
            raise SourceFailed(f"{address}: a page for {filters} has no Items; the shape of the API has changed")
        yield from items
        link = page.get("NextPageLink")
        if not link:
            return
        url, params = str(link).replace(":443/", "/", 1), None
    raise SourceFailed(f"{address}: over {_MOST_PAGES} pages for {filters}")


def _id(item: Mapping[str, Any]) -> str:
    names = ("meterId", "skuId", "type", "reservationTerm")
    return " ".join(str(item[name]) for name in names if item.get(name))


def _offer(name: str, items: Sequence[Mapping[str, Any]], today: str) -> Offer:
    """One meter; its items are the tiers of a graduated price."""
    one = items[0]
    if "retailPrice" not in one or "unitOfMeasure" not in one:
        raise SourceFailed(f"Azure meter {name} has no retailPrice or unitOfMeasure; the shape of the API has changed")
    if one.get("currencyCode") != "USD":
        raise SourceFailed(f"Azure meter {name} is priced in {one.get('currencyCode')!r}, expected USD")
    term = str(one.get("reservationTerm") or "")
    hours = _HOURS.get(term, Decimal(1)) if one.get("type") == "Reservation" else Decimal(1)
    tiers = [
        Tier(
            amount(item.get("tierMinimumUnits", 0), f"tierMinimumUnits of Azure meter {name}"),
            amount(item.get("retailPrice"), f"retailPrice of Azure meter {name}") / hours,
        )
        for item in items
    ]
    fields = {plain(key): str(value) for key, value in one.items() if isinstance(value, str)}
    ordered = tuple(sorted(tiers, key=lambda tier: tier.start))
    return Offer(f"meter {name}", fields, str(one["unitOfMeasure"]), ordered, today)

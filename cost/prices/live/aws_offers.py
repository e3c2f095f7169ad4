"""AWS's bulk offer files: one CSV file per service and region, hundreds of MB for EC2, read as a stream.

Machine (AWS Billing User Guide, "AWS Price List Bulk API"): `region_index.json` names the current version of each
region's file; the file has five lines of preamble, a header, and a row for each price. Savings plans have files too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.prices.live.query import Offer, Query, Tier, amount, plain
from gpucluster.cost.prices.live.web import SourceFailed, Web

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


def offers(web: Web, service: str, regions: Sequence[str], asked: Sequence[Query], address: str = ADDRESS) -> Iterator[
    tuple[str, list[Offer]]
]:  # fmt: skip
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

"""Machine prices of Google Cloud, which has no SKU for a machine: sums of vCPUs, memory, GPUs and local SSDs.

`google_machines.csv`: `gpu`, a regular expression for the GPU's SKU; sizes of machines missing in our catalog, from
the Compute Engine documentation (machine families; for e2-small and e2-medium the billed share of vCPUs). A machine
without `series` is sold in slices, which include vCPUs, memory and disks. Flex-start is `DWS Defined Duration` in the
catalog: four SKUs of that name add up to the price page's $38.32 for a3-highgpu-8g. Descriptions as Google writes
them: `A3 Instance Core running in Americas`, `Nvidia H100 80GB GPU attached to Spot Preemptible VMs running in
Americas`, `Commitment v1: A3 Ram in Americas for 1 Year`. A description must match as a whole, which excludes SKUs of
other purchase options (`DWS Calendar Mode ...`, `Reserved ...`), whose usage type may also be on demand.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.prices.live.query import Condition, Offer, Part, Query, Tier, amount
from gpucluster.cost.prices.live.web import SourceFailed, Web

_SOURCE: Final = "SKU descriptions of the Cloud Billing Catalog"
_SSD_GIB: Final = 375
"""Size of one local SSD (Compute Engine documentation)."""
_HOST_PARTS: Final = {"reserved": ("Cpu", "Ram"), "flex_start": ("Core", "Ram")}
_IN: Final = " (?:running )?in .+"


def machine_queries() -> tuple[Query, ...]:
    """On demand, Spot, flex-start and committed use for one and three years, of every machine of the table."""
    path = Path(__file__).with_name("google_machines.csv")
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(query for row in csv.DictReader(file) for query in _ways(row))


def _ways(row: Mapping[str, str]) -> Iterator[Query]:
    yield _query(row, "on_demand", "", "{part}" + _IN, gpu="{part}" + _IN, ssd="{part}(?:" + _IN + ")?")
    spot = "{part} attached to Spot Preemptible VMs(?:" + _IN + ")?"
    host = "Spot Preemptible {part}" + _IN
    yield _query(row, "spot", "", host, gpu=spot if row["series"] else host, ssd=spot)
    if row["gpu"]:
        flex = "DWS Defined Duration {part}" + _IN
        gpu = "{part} attached to DWS Defined Duration VMs" + _IN if row["series"] else flex
        yield _query(row, "flex_start", "", flex, gpu=gpu, ssd=flex)
    for term, words in (("1y", "1 Years?"), ("3y", "3 Years?")):
        committed = "Commitment v1: {part}" + _IN + f" for {words}"
        yield _query(row, "reserved", term, committed, gpu=committed, ssd=committed)


def _query(row: Mapping[str, str], purchase: str, term: str, host: str, *, gpu: str, ssd: str) -> Query:
    committed = purchase == "reserved"
    core, ram = _HOST_PARTS.get(purchase, ("Instance Core", "Instance Ram"))
    disk = "Local SSD" if committed else "SSD backed Local Storage"
    vcpus, ram_gib, gpus, ssd_gib = _sizes(row)
    parts = [
        (vcpus, host, f"{row['series']} {core}"),
        (ram_gib, host, f"{row['series']} {ram}"),
        (gpus, gpu, row["gpu"]),
        (ssd_gib, ssd, disk),
    ]
    return Query(
        sku=row["sku"], kind="compute", unit="instance-hour", purchase=purchase, term=term, service="Compute Engine",
        tiers="first", source=_SOURCE,
        parts=tuple(
            Part((Condition("description", "=~", form.replace("{part}", name)),), count)
            for count, form, name in parts
            if count
        ),
    )  # fmt: skip


def _sizes(row: Mapping[str, str]) -> tuple[Decimal, Decimal, Decimal, Decimal]:
    """vCPUs, GiB of memory, GPUs, GiB of local SSDs."""
    if row["vcpus"]:
        return Decimal(row["vcpus"]), Decimal(row["ram_gib"]), Decimal(row["gpus"] or 0), Decimal(0)
    machine = machines()[row["sku"]]
    if not row["series"]:
        return Decimal(0), Decimal(0), Decimal(machine.gpus), Decimal(0)
    sizes = machine.vcpus, machine.memory_gib, machine.gpus, machine.nvme_disks * _SSD_GIB
    vcpus, ram_gib, gpus, ssd_gib = map(Decimal, sizes)
    return vcpus, ram_gib, gpus, ssd_gib


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

"""Cloud KMS keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gcp_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing


@prices("gcp:kms/cryptoKey:CryptoKey")
def key(item: Pricing) -> Iterator[CostLine]:
    """A month of one active version of a software key (Cloud KMS price page); a rotation adds another."""
    level = item.text("versionTemplate", "protectionLevel", default="SOFTWARE")
    if level != "SOFTWARE":
        raise CannotPrice(f"versionTemplate.protectionLevel is {level!r}: the price book has SOFTWARE keys only")
    note = "one active version of each Cloud KMS key; operations and rotated versions are not in the total"
    yield item.line(
        "Cloud KMS key", Decimal(1), item.price("kms-software-key-version", "month", region="global"), assumption=note
    )


_CLASSES: Final = ((4, "m1"), (10, "m2"), (35, "m3"), (100, "m4"), (300, "m5"))
"""(GiB at the most, capacity tier) (Memorystore for Redis price page)."""


@prices("gcp:redis/instance:Instance")
def redis(item: Pricing) -> Iterator[CostLine]:
    """GiB all month at the rate of their capacity tier, BASIC or STANDARD_HA (Memorystore for Redis price page)."""
    gib, tier = item.number("memorySizeGb"), item.text("tier", default="BASIC").lower()
    if item.get("readReplicasMode") == "READ_REPLICAS_ENABLED":
        raise CannotPrice("readReplicasMode is READ_REPLICAS_ENABLED: the price book has instances without replicas")
    found = next((name for most, name in _CLASSES if gib <= most), None)
    if found is None:
        raise CannotPrice(f"memorySizeGb is {plain(gib)}: the largest capacity tier holds {_CLASSES[-1][0]} GiB")
    price = item.price(f"redis-{tier}-{found}", "GiB-hour", region=place_of(item, "region"))
    hours = Decimal(gib * HOURS_PER_MONTH)
    yield item.line(f"Redis {tier}, {found.upper()}", hours, price, basis=f"{plain(gib)} GiB x {HOURS_PER_MONTH} h")


_CUSTOM: Final = r"db-custom-(\d+)-(\d+)"
_SHARED: Final = ("db-f1-micro", "db-g1-small")
_MIB_PER_GIB: Final = 1024
_DEFAULT_DISK_GIB: Final = 10
"""GiB of an instance that asks for none (SDK documentation, settings.diskSize)."""


@prices("gcp:sql/databaseInstance:DatabaseInstance")
def database(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """vCPUs and memory, or a shared core, all month, and the disk (Cloud SQL price page, MySQL and PostgreSQL).

    Regional instances, which have a standby, cost twice a zonal one. Backups are not in the total.
    """
    if item.text("databaseVersion").startswith("SQLSERVER"):
        raise CannotPrice("databaseVersion is SQL Server, which has a licence: the price book has MySQL and PostgreSQL")
    if item.text("settings", "edition", default="ENTERPRISE") != "ENTERPRISE":
        raise CannotPrice(
            f"settings.edition is {item.get('settings', 'edition')!r}: the price book has ENTERPRISE only"
        )
    kind = item.text("settings", "availabilityType", default="ZONAL").lower()
    region = place_of(item, "region")
    yield from _machine(item, kind, region)
    disk = item.text("settings", "diskType", default="PD_SSD").removeprefix("PD_").lower()
    gib = item.number("settings", "diskSize", default=_DEFAULT_DISK_GIB)
    assumption = "the disk as declared, not as it may grow; not in the total: backups"
    lines = _line(
        item, f"Storage {disk.upper()}, {kind}", f"cloud-sql-{disk}-{kind}", "GiB-month", region, gib, "", assumption
    )
    yield from or_named(item, lines)


def _machine(item: Pricing, kind: str, region: str) -> Iterator[CostLine | NotPriced]:
    tier = item.text("settings", "tier")
    if tier in _SHARED:
        parts = ((f"{tier}, {kind}", f"cloud-sql-{tier}-{kind}", "instance-hour", Decimal(1)),)
    elif match := re.fullmatch(_CUSTOM, tier):
        parts = (
            (f"vCPUs, {kind}", f"cloud-sql-vcpu-{kind}", "vCPU-hour", Decimal(match[1])),
            (f"Memory, {kind}", f"cloud-sql-memory-{kind}", "GiB-hour", Decimal(match[2]) / _MIB_PER_GIB),
        )
    else:
        reason = f"settings.tier is {tier!r}; priced are db-custom-VCPUS-MIB, {', '.join(_SHARED)}"
        yield item.not_priced(reason, compute=True)
        return
    hours = item.assumptions.hours_per_month
    assumption = item.assumptions.text("hours_per_month") if hours != HOURS_PER_MONTH else ""
    for name, sku, unit, each in parts:
        basis = f"{plain(each)} x {plain(hours)} h"
        yield from or_named(item, _line(item, name, sku, unit, region, each * hours, basis, assumption), compute=True)


def _line(
    item: Pricing, name: str, sku: str, unit: str, region: str, quantity: Decimal, basis: str, assumption: str
) -> Iterator[CostLine]:
    price = item.price(sku, unit, region=region)
    yield item.line(name, quantity, price, basis=basis, assumption=assumption)

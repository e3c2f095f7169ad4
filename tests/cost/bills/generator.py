"""Bills as the clouds would write them for a plan: a row a day for each thing, in FOCUS or CUR 2.0."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpucluster.core.program.resources import Resources, urn_name
from gpucluster.cost.bills.matching import stack_charges
from gpucluster.cost.bills.planned import Planned

HERE = Path(__file__).parent
FIRST, DAYS = date(2026, 10, 1), 31
PROVIDERS = {"aws": "AWS", "gcp": "Google Cloud", "azure": "Microsoft"}
NODES: Final = {
    "trial-training-nodes": {"aws": "trial-training"},
    "trial-system-nodes": {"aws": "trial-system"},
    "trial-elastic-dev-pool": dict.fromkeys(PROVIDERS, "trial-elastic-node"),
}
"""Where machines and disks are named otherwise than the resource that makes them."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A row of the bill. sku: of our book, by which tests find it."""

    cloud: str
    day: date
    sku: str
    service: str
    meter: str
    description: str
    unit: str
    quantity: Decimal | None
    price: Decimal
    cost: Decimal
    tags: dict[str, str]
    resource: str
    category: str = "Usage"
    currency: str = "USD"
    billed: Decimal | None = None
    commitment: str = ""
    account: str = "account-1"
    region: str = "us-east-1"
    correction: str = ""
    operation: str = ""
    contract: str = ""

    @property
    def invoiced(self) -> Decimal:
        return self.cost if self.billed is None else self.billed


def bill_of(cloud: str, lines: Iterable[Planned], resources: Resources, days: int = DAYS) -> list[Item]:
    """What exactly the plan would bring, day by day."""
    mine = stack_charges(resources)
    labels = {key.replace("_", "-"): value for key, value in mine.labels.items()}
    return [
        item
        for number, line in enumerate(lines)
        for day in range(days)
        for item in _items(cloud, line, FIRST + timedelta(days=day), labels, number, mine.names)
    ]


def _items(
    cloud: str, line: Planned, day: date, labels: dict[str, str], number: int, names: Collection[str]
) -> Iterable[Item]:
    """A line on a day: of what is sold by the month its share of the month, of machines of Google Cloud their parts."""
    if not line.quantity or line.price is None:
        return
    quantity = line.quantity * (Decimal(24) / 730 if line.unit.endswith("hour") else Decimal(1) / DAYS)
    words = _words(cloud, line)
    name = NODES.get(urn_name(line.urn), {}).get(cloud, urn_name(line.urn))
    labels = labels if name in names else {}
    for at, row in enumerate(words):
        each = Decimal(row["each"])
        cost = quantity * line.price / len(words)
        yield Item(
            cloud=cloud, day=day, sku=line.sku, service=row["service"], meter=row["meter"], unit=row["unit"],
            description=row["description"], quantity=quantity * each, price=cost / (quantity * each), cost=cost,
            tags={"Name" if cloud == "aws" else "name": name, **labels} if labels else {},
            resource=f"{cloud}-resource-{number}-{at}",
        )  # fmt: skip


def _words(cloud: str, line: Planned) -> list[dict[str, str]]:
    with (HERE / "meters.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["cloud"] == cloud]
    sku = "machine" if line.unit == "instance-hour" and cloud != "gcp" else line.sku
    short = line.sku.removeprefix("Standard_").replace("_", " ")
    found = [row for row in rows if row["sku"] == sku]
    said = [{key: value.format(sku=line.sku, short=short) for key, value in row.items()} for row in found]
    return said or [{"service": line.part, "meter": line.sku, "description": line.name, "unit": line.unit, "each": "1"}]


def changed(items: Iterable[Item], sku: str, change: Callable[[Item], Item | None]) -> list[Item]:
    """The items with those of a SKU changed, or left out."""
    made = [change(item) if item.sku == sku else item for item in items]
    return [item for item in made if item is not None]


def cheaper(factor: str) -> Callable[[Item], Item]:
    return lambda item: replace(item, price=item.price * Decimal(factor), cost=item.cost * Decimal(factor))


def until(day: int) -> Callable[[Item], Item | None]:
    return lambda item: item if item.day.day <= day else None


FOCUS: Final[dict[str, Callable[[Item], Any]]] = {
    "BilledCost": lambda item: item.invoiced,
    "BillingAccountId": lambda _: "payer-1",
    "BillingCurrency": lambda item: item.currency,
    "ChargeCategory": lambda item: item.category,
    "ChargeClass": lambda item: item.correction,
    "ChargeDescription": lambda item: item.description,
    "ChargePeriodEnd": lambda item: f"{item.day + timedelta(days=1)}T00:00:00Z",
    "ChargePeriodStart": lambda item: f"{item.day}T00:00:00Z",
    "CommitmentDiscountId": lambda item: item.commitment,
    "EffectiveCost": lambda item: item.cost,
    "PricingQuantity": lambda item: "" if item.quantity is None else item.quantity,
    "PricingUnit": lambda item: item.unit if item.quantity is not None else "",
    "ProviderName": lambda item: PROVIDERS[item.cloud],
    "RegionId": lambda item: item.region,
    "ResourceId": lambda item: item.resource,
    "ServiceName": lambda item: item.service,
    "SkuPriceId": lambda item: f"{item.price:.9f}",
    "SubAccountId": lambda item: item.account,
    "Tags": lambda item: json.dumps(item.tags),
    "x_Operation": lambda item: item.operation,
    "x_UsageType": lambda item: item.meter,
}  # fmt: skip
CUR2: Final[dict[str, Callable[[Item], Any]]] = {
    "identity_line_item_id": lambda item: f"{item.resource}/{item.day}",
    "line_item_currency_code": lambda item: item.currency,
    "line_item_line_item_description": lambda item: item.description,
    "line_item_line_item_type": lambda item: "SavingsPlanCoveredUsage" if item.commitment else item.category,
    "line_item_product_code": lambda item: item.service,
    "line_item_resource_id": lambda item: item.resource,
    "line_item_unblended_cost": lambda item: item.invoiced,
    "line_item_operation": lambda item: item.operation,
    "line_item_usage_account_id": lambda item: item.account,
    "line_item_usage_amount": lambda item: "" if item.quantity is None else item.quantity,
    "line_item_usage_end_date": lambda item: f"{item.day + timedelta(days=1)} 00:00:00.000",
    "line_item_usage_start_date": lambda item: f"{item.day} 00:00:00.000",
    "line_item_usage_type": lambda item: item.meter,
    "pricing_rate_id": lambda item: f"{item.price:.9f}",
    "pricing_unit": lambda item: item.unit if item.quantity is not None else "",
    "product_region_code": lambda item: item.region,
    "resource_tags": lambda item: json.dumps(
        {f"user_{key.lower().replace('-', '_')}": value for key, value in item.tags.items()}
    ),
    "savings_plan_savings_plan_a_r_n": lambda item: item.commitment,
    "savings_plan_savings_plan_effective_cost": lambda item: item.cost if item.commitment else "",
}  # fmt: skip


FOCUS_1_4: Final[dict[str, Callable[[Item], Any]]] = {
    **{name: value for name, value in FOCUS.items() if name != "ProviderName"},
    "ContractApplied": lambda item: item.contract,
    "HostProviderName": FOCUS["ProviderName"],
    "ServiceProviderName": FOCUS["ProviderName"],
}
"""With the columns that 1.3 adds, and without the one that 1.4 removes."""


def write_csv(path: Path, items: Sequence[Item], form: dict[str, Callable[[Item], Any]] = FOCUS) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(form)
        rows.writerows([f"{value(item)}" for value in form.values()] for item in items)
    return path


def write_parquet(path: Path, items: Sequence[Item], form: dict[str, Callable[[Item], Any]] = FOCUS) -> Path:
    """With the types that AWS gives: amounts as doubles, times as timestamps, tags as a map."""
    import duckdb

    source = write_csv(path.with_suffix(".parquet.csv"), items, form)
    tags = "Tags" if "Tags" in form else "resource_tags"
    with duckdb.connect() as db:
        db.execute(
            f"COPY (SELECT * REPLACE (from_json({tags}, '\"MAP(VARCHAR, VARCHAR)\"') AS {tags}) "
            f"FROM read_csv('{source}', header = true, types = {{'{tags}': 'VARCHAR'}})) TO '{path}' (FORMAT parquet)"
        )
    source.unlink()
    return path

"""A server with price lists in the shapes that the clouds' own have, and what stands in them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

COLUMNS = "provider,region,sku,kind,unit,purchase,term,usd_per_unit,as_of,source,note"
EC2_HEADER = (
    "SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange", "EndingRange",
    "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass", "Product Family",
    "serviceCode", "Location", "Location Type", "Instance Type", "Volume API Name", "Tenancy", "Operating System",
    "License Model", "usageType", "operation", "CapacityStatus", "MarketOption", "Pre Installed S/W", "Region Code",
)  # fmt: skip
PLANS_HEADER = (
    "SKU", "RateCode", "Unit", "EffectiveDate", "DiscountedRate", "Currency", "DiscountedSKU", "DiscountedServiceCode",
    "DiscountedUsageType", "DiscountedOperation", "PurchaseOption", "LeaseContractLength", "LeaseContractLengthUnit",
    "ServiceCode", "UsageType", "Operation", "Description", "Instance Family", "Location", "Location Type",
    "Granularity", "Product Family", "DiscountedRegionCode", "DiscountedInstanceType",
)  # fmt: skip
MACHINE = {
    "TermType": "OnDemand", "Unit": "Hrs", "Currency": "USD", "Product Family": "Compute Instance",
    "Tenancy": "Shared", "Operating System": "Linux", "License Model": "No License required",
    "CapacityStatus": "Used", "MarketOption": "OnDemand", "Pre Installed S/W": "NA", "OfferTermCode": "JRTCKXETXF",
}  # fmt: skip


@dataclass
class Reply:
    """One answer of a list. cut: bytes that are left out at the end although Content-Length counts them."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: int = 0


class Lists:
    """Answers by path: those of a path in turn, the last of them from then on."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Reply]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.keys: list[str | None] = []
        self.address = ""

    def put(self, path: str, *replies: Reply | Mapping[str, Any] | str) -> None:
        made = [
            one if isinstance(one, Reply) else Reply(one if isinstance(one, str) else json.dumps(one))
            for one in replies
        ]
        self.replies[path] = made

    def times(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)


def offer_file(*rows: Mapping[str, str], header: tuple[str, ...] = EC2_HEADER, published: str = "2026-11-20") -> str:
    """A bulk file of AWS: five lines of preamble, a header, rows."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["FormatVersion", "v1.0"])
    writer.writerow(["Disclaimer", "This pricing list is for informational purposes only."])
    writer.writerow(["Publication Date", f"{published}T17:07:46Z"])
    writer.writerow(["Version", "20261120170746"])
    writer.writerow(["OfferCode", "AmazonEC2"])
    writer.writerow(header)
    writer.writerows([row.get(name, "") for name in header] for row in rows)
    return out.getvalue()


def machine(instance: str, price: str, sku: str = "M1", **other: str) -> dict[str, str]:
    """The row of an on-demand Linux machine."""
    named = {name.replace("_", " "): value for name, value in other.items()}
    return {**MACHINE, "SKU": sku, "RateCode": f"{sku}.JRTCKXETXF.6YS6EN2CT7", "Instance Type": instance,
            "PricePerUnit": price, "usageType": f"BoxUsage:{instance}", **named}  # fmt: skip


def region_index(service: str, *regions: str) -> dict[str, Any]:
    """AWS's list of a service's files."""
    path = f"/offers/v1.0/aws/{service}/20261120170746"
    listed = {name: {"regionCode": name, "currentVersionUrl": f"{path}/{name}/index.json"} for name in regions}
    return {"formatVersion": "v1.0", "publicationDate": "2026-11-20T17:07:46Z", "regions": listed}


def meter(price: float, **other: Any) -> dict[str, Any]:
    """An item of Azure's list: an H100 machine on demand unless `other` says else."""
    return {
        "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "unitPrice": price,
        "armRegionName": "eastus", "location": "US East", "effectiveStartDate": "2023-12-01T00:00:00Z",
        "meterId": "m-1", "meterName": "ND96isrH100v5", "productId": "p", "skuId": "p/s",
        "productName": "Virtual Machines NDsr H100 v5 Series", "skuName": "ND96isrH100v5",
        "serviceName": "Virtual Machines", "serviceFamily": "Compute", "unitOfMeasure": "1 Hour", "type": "Consumption",
        "isPrimaryMeterRegion": True, "armSkuName": "Standard_ND96isr_H100_v5", **other,
    }  # fmt: skip


def page(*items: Mapping[str, Any], following: str | None = None) -> dict[str, Any]:
    """A page of Azure's list."""
    return {"BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail",
            "Items": list(items), "NextPageLink": following, "Count": len(items)}  # fmt: skip


def google_sku(description: str, usd: str, unit: str = "h", name: str = "", **other: Any) -> dict[str, Any]:
    """A SKU of Google's catalog in us-central1."""
    units, _, fraction = usd.partition(".")
    rate = {
        "startUsageAmount": 0,
        "unitPrice": {"currencyCode": "USD", "units": units, "nanos": int(f"{fraction:0<9}")},
    }
    expression = {"usageUnit": unit, "displayQuantity": 1, "tieredRates": [rate]}
    return {
        "name": "services/6F81-5844-456A/skus/x", "skuId": name or description[:12], "description": description,
        "category": {"serviceDisplayName": "Compute Engine", "resourceFamily": "Compute", "resourceGroup": "GPU",
                     "usageType": "OnDemand"},
        "serviceRegions": ["us-central1", "us-east1"], "serviceProviderName": "Google",
        "pricingInfo": [{"effectiveTime": "2026-11-20T00:00:00Z", "pricingExpression": expression}], **other,
    }  # fmt: skip

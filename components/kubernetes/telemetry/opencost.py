"""The price sheet for OpenCost, so that it allocates costs at the prices of the plan.

Source: opencost/opencost, docs on CSV pricing and configs/pricing_schema.csv.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

_COLUMNS = (
    "EndTimestamp",
    "InstanceID",
    "Region",
    "AssetClass",
    "InstanceIDField",
    "InstanceType",
    "MarketPriceHourly",
    "Version",
)
COST_METRICS: Final = ("container_gpu_allocation", "kube_namespace_labels", "node_gpu_hourly_cost")
"""OpenCost's metrics that the cost dashboard reads."""
_BY = "metadata.labels.node.kubernetes.io/instance-type"


def price_sheet(region: str, machines: Mapping[str, Decimal]) -> str:
    """The sheet. machines: machine type -> USD per hour; nodes are found by the label with their type."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for machine, usd in machines.items():
        writer.writerow(("", machine, region, "node", _BY, machine, f"{usd.normalize():f}", "v1"))
    return text.getvalue()

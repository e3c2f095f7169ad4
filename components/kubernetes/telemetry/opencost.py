"""Our prices as the sheet that OpenCost reads, so that it allocates the same dollars that the plan showed.

Source: opencost/opencost, docs on CSV pricing and configs/pricing_schema.csv.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from decimal import Decimal

__all__ = ["price_sheet"]

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
_BY = "metadata.labels.node.kubernetes.io/instance-type"


def price_sheet(region: str, machines: Iterable[tuple[str, Decimal]]) -> str:
    """The sheet. machines: (machine type, USD per hour); nodes are found by the label with their type."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for machine, usd in machines:
        writer.writerow(("", machine, region, "node", _BY, machine, f"{usd.normalize():f}", "v1"))
    return text.getvalue()

"""Regions of Azure, including its other clouds: `azure_regions.csv`.

Columns: zones, whether they have availability zones, empty without a source; regions, in ARM's form.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows

_ZONES = {"yes": True, "no": False, "": None}


@functools.cache
def azure_regions() -> Mapping[str, bool | None]:
    """Every region -> whether it has availability zones, None if unknown."""
    found: dict[str, bool | None] = {}
    for row in rows("azure_regions"):
        if row["zones"] not in _ZONES:
            raise row.bad("zones", "write yes, no or nothing")
        found |= dict.fromkeys(row["regions"].split(), _ZONES[row["zones"]])
    return found

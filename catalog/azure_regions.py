"""Regions of Azure: `azure_regions.csv`, those of its other clouds as well.

Columns: zones, whether they have availability zones, empty where no source says; regions, in ARM's form.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows

_ZONES = {"yes": True, "no": False, "": None}


@functools.cache
def azure_regions() -> Mapping[str, bool | None]:
    """Every region -> whether it has availability zones, None where nobody says."""
    found: dict[str, bool | None] = {}
    for row in rows("azure_regions"):
        if row["zones"] not in _ZONES:
            raise row.bad("zones", "write yes, no or nothing")
        found |= dict.fromkeys(row["regions"].split(), _ZONES[row["zones"]])
    return found

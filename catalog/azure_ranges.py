"""Address ranges that Azure keeps for itself: `azure_ranges.csv`.

kept_by: InfiniBand, for sizes that have it, or AKS, for every cluster: its virtual network, pods and services.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows

INFINIBAND = "InfiniBand"


@functools.cache
def azure_ranges() -> Mapping[str, str]:
    """Every reserved range -> its owner."""
    return {row["range"]: row["kept_by"] for row in rows("azure_ranges")}

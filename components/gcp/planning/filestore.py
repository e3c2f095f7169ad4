"""Size of the Filestore instance for small files. Imports no Pulumi."""

from __future__ import annotations

import math
from decimal import Decimal

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.planning import HEADROOM, Planning
from gpucluster.components.shared.storage.home import HomePlan, plan_home_files
from gpucluster.components.spec.storage import HomeStorage

# Zonal tier, GiB: from 1 to 9.75 TiB in steps of 256 GiB, from 10 to 100 TiB in steps of 2.5 TiB.
# Source: Filestore documentation, "Service tiers".
_LEAST, _STEP, _SMALL_MOST = 1_024, 256, 9_984
_LARGE_STEP, _MOST_GIB = 2_560, 102_400


def plan_home(home: HomeStorage | None, planning: Planning[Location]) -> HomePlan | None:
    """The smallest zonal Filestore instance for the expected size plus headroom."""
    if home is None:
        return None
    needed = max(home.expected_gib * HEADROOM, Decimal(_LEAST))
    step = _STEP if needed <= _SMALL_MOST else _LARGE_STEP
    size = math.ceil(needed / step) * step
    return plan_home_files(
        home, planning, capacity_gib=size, most_gib=_MOST_GIB, service="Filestore", store="Filestore"
    )

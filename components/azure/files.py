"""Size of the Azure Files share for small files. Imports no Pulumi."""

from __future__ import annotations

import math

from gpucluster.components.home import HomePlan
from gpucluster.components.planning import HEADROOM
from gpucluster.components.spec.storage import HomeStorage

# A premium share by NFS, GiB. Source: Azure Files documentation, "Understanding billing: provisioned v1 model".
_LEAST, MOST_GIB = 100, 102_400


def plan_home(home: HomeStorage | None) -> HomePlan | None:
    """The smallest share for the expected size plus headroom."""
    if home is None:
        return None
    capacity = max(_LEAST, math.ceil(home.expected_gib * HEADROOM))
    return HomePlan(capacity_gib=capacity, expected_gib=home.expected_gib, protect=home.protect)

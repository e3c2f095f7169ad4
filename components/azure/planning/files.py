"""Size of the Azure Files share for small files. Imports no Pulumi."""

from __future__ import annotations

import math

from gpucluster.components.azure.location import Location
from gpucluster.components.planning.planning import HEADROOM, Planning
from gpucluster.components.shared.storage.home import HomePlan, plan_home_files
from gpucluster.components.spec.storage import HomeStorage

# A premium share by NFS, GiB. Source: Azure Files documentation, "Understanding billing: provisioned v1 model".
_LEAST, _MOST_GIB = 100, 102_400


def plan_home(home: HomeStorage | None, planning: Planning[Location]) -> HomePlan | None:
    """The smallest share for the expected size plus headroom."""
    if home is None:
        return None
    size = max(_LEAST, math.ceil(home.expected_gib * HEADROOM))
    return plan_home_files(
        home,
        planning,
        capacity_gib=size,
        most_gib=_MOST_GIB,
        service="a share of Azure Files",
        store="Azure Files",
    )

"""The file system for small files: how large a share of Azure Files is that holds them. Imports no Pulumi."""

from __future__ import annotations

import math
from decimal import Decimal

from gpucluster.components.plan import HEADROOM
from gpucluster.components.problem import Problem
from gpucluster.components.spec.storage import HomeStorage
from gpucluster.record import record

__all__ = ["HomePlan", "home_problems", "plan_home"]

# A premium share by NFS, GiB. Source: Azure Files documentation, "Understanding billing: provisioned v1 model".
_LEAST, _MOST = 100, 102_400


@record(kw_only=True)
class HomePlan:
    """capacity_gib: as provisioned and billed, GiB. expected_gib: what is stored on average, as the spec says."""

    capacity_gib: int
    expected_gib: Decimal
    protect: bool


def home_problems(home: HomeStorage | None) -> list[Problem]:
    """Why Azure Files can't hold the home folders."""
    if home is None or home.expected_gib * HEADROOM <= _MOST:
        return []
    return [
        Problem(
            "storage.home.expected_gib",
            f"is {home.expected_gib:,}",
            f"a share of Azure Files holds at most {_MOST:,} GiB, 25 % headroom among them: ask for less",
        )
    ]


def plan_home(home: HomeStorage | None) -> HomePlan | None:
    """The smallest share that holds what is expected, with headroom."""
    if home is None:
        return None
    capacity = max(_LEAST, math.ceil(home.expected_gib * HEADROOM))
    return HomePlan(capacity_gib=capacity, expected_gib=home.expected_gib, protect=home.protect)

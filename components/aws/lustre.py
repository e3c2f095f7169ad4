"""How large an FSx for Lustre file system must be for the data and the throughput asked of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from components.plan import HEADROOM

__all__ = ["LustrePlan", "plan_lustre"]

# PERSISTENT_2 SSD without EFA is sold as 1,200 or 2,400 GiB and then in steps of 2,400.
# Source: FSx API reference, StorageCapacity of CreateFileSystem.
_SMALLEST_GIB = 1200
_STEP_GIB = 2400
_GIB_PER_TIB = 1024


@dataclass(frozen=True, kw_only=True)
class LustrePlan:
    """capacity_gib: as provisioned, GiB. usable_gib: what data may fill. tier: MB/s for each 1,000 GiB."""

    capacity_gib: int
    usable_gib: int
    tier: int
    protect: bool

    @property
    def gb_per_s(self) -> Decimal:
        """Baseline throughput of the whole, GB/s. AWS counts 2,400 GiB as 2.4 TiB."""
        return Decimal(self.capacity_gib) * self.tier / 1_000_000


def plan_lustre(usable_tib: Decimal, gb_per_s: Decimal, *, tier: int = 125, protect: bool) -> LustrePlan:
    """The smallest file system of a tier that holds the data with headroom and reaches the throughput.

    usable_tib: TiB of 1,024 GiB. gb_per_s: least throughput of the whole, GB/s.
    """
    usable_gib = usable_tib * _GIB_PER_TIB
    needed = max(usable_gib * HEADROOM, gb_per_s * 1_000_000 / tier)
    capacity = _SMALLEST_GIB if needed <= _SMALLEST_GIB else math.ceil(needed / _STEP_GIB) * _STEP_GIB
    return LustrePlan(capacity_gib=capacity, usable_gib=math.floor(usable_gib), tier=tier, protect=protect)

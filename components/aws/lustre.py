"""Size and tier of an FSx for Lustre file system for a spec, at the lowest price."""

from __future__ import annotations

import math
from decimal import Decimal

from gpucluster.components.offers import TierPrices, cheapest, offer
from gpucluster.components.planning import GIB_PER_TIB, HEADROOM
from gpucluster.components.spec.storage import SharedStorage
from gpucluster.record import record

# Deployment in the table of regions -> MB/s for each 1,000 GiB of SSD.
# Sources: FSx API reference, PerUnitStorageThroughput of CreateFileSystem; FSx for Lustre user guide, using-fsx-lustre.
LUSTRE_TIERS = {
    "persistent_2": (125, 250, 500, 1000),
    "persistent_2_basic": (125, 250),
    "persistent_1": (50, 100, 200),
}

# MB/s for each 1,000 GiB -> GiB of one step of capacity with EFA.
# Source: FSx API reference, StorageCapacity of CreateFileSystem.
_EFA_STEPS = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}

# Without EFA all tiers are sold as 1,200 or 2,400 GiB and then in steps of 2,400. Source: the same.
_SMALLEST_GIB = 1200
_STEP_GIB = 2400


@record(kw_only=True)
class LustrePlan:
    """capacity_gib: as provisioned, GiB. usable_gib: GiB that data may fill. tier: MB/s for each 1,000 GiB. deployment:
    the type in FSx. beside_gpus: whether it is in the GPU nodes' zone.

    fabric: clients may mount it over EFA. bucket: the linked bucket, as the spec names it. write_back: whether changes
    on it are written to the bucket. choice: reason for this tier, in one sentence.
    """

    capacity_gib: int
    usable_gib: int
    tier: int
    deployment: str = "PERSISTENT_2"
    beside_gpus: bool = True
    protect: bool
    fabric: bool = False
    bucket: str | None = None
    write_back: bool = False
    choice: str

    @property
    def gb_per_s(self) -> Decimal:
        """Total baseline throughput, GB/s. AWS counts 2,400 GiB as 2.4 TiB."""
        return Decimal(self.capacity_gib) * self.tier / 1_000_000


def plan_lustre(
    asked: SharedStorage, price: TierPrices, *, sold: str = "persistent_2", beside_gpus: bool = True
) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    Without a price here, `cheapest` documents the choice. sold: a key of LUSTRE_TIERS. beside_gpus: as in the plan.
    """
    usable_gib = asked.usable_tib * GIB_PER_TIB
    chosen, choice = cheapest(
        [
            offer(
                tier,
                _capacity(tier, max(usable_gib * HEADROOM, asked.gb_per_s * 1_000_000 / tier), asked.fabric),
                price,
            )
            for tier in LUSTRE_TIERS[sold]
        ],
        tier=asked.tier,
    )
    return LustrePlan(
        capacity_gib=chosen.capacity_gib,
        usable_gib=math.floor(usable_gib),
        tier=chosen.tier,
        deployment=sold.removesuffix("_basic").upper(),
        beside_gpus=beside_gpus,
        protect=asked.protect,
        fabric=asked.fabric,
        bucket=asked.bucket,
        write_back=asked.write_back,
        choice=choice,
    )


def _capacity(tier: int, needed_gib: Decimal, fabric: bool) -> int:
    if fabric:
        return math.ceil(needed_gib / _EFA_STEPS[tier]) * _EFA_STEPS[tier]
    if needed_gib <= _SMALLEST_GIB:
        return _SMALLEST_GIB
    return math.ceil(needed_gib / _STEP_GIB) * _STEP_GIB

"""Shared storage: a Managed Lustre instance at the lowest price, a bucket, or the user's. Imports no Pulumi."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.machines import CLOUD
from gpucluster.components.gcp.planning.quotas import LUSTRE
from gpucluster.components.planning.planning import GIB_PER_TIB, HEADROOM, Planning
from gpucluster.components.shared.buckets import BucketPlan, plan_shared_bucket
from gpucluster.components.shared.file_systems import (
    ExistingStoragePlan,
    TierPrices,
    cheapest,
    offer,
    plan_existing_storage,
    tier_prices,
)
from gpucluster.components.spec.storage import OWN, SharedStorage
from gpucluster.core.catalog.machines import zones_of
from gpucluster.core.program.questions import Question

# Source: Cloud Storage documentation, "About Cloud Storage buckets".
_BUCKET = rf"^({OWN}|gs://[a-z0-9][a-z0-9._-]{{1,220}}[a-z0-9](/.*)?)$"
_FILES = r"^projects/[a-z][a-z0-9-]{4,28}[a-z0-9]/locations/[a-z0-9-]+/instances/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$"


@dataclass(frozen=True, kw_only=True)
class Tier:
    """Capacities of one tier, GiB: from least to most, in steps of `step` up to the threshold and of `large_step`
    above.

    An instance at or below the threshold can never grow past it.
    """

    least: int
    most: int
    step: int
    threshold: int
    large_step: int

    def capacity(self, needed_gib: Decimal) -> int:
        """The smallest sufficient capacity on sale; above `most` if none is."""
        step = self.step if needed_gib <= self.threshold else self.large_step
        return max(self.least, math.ceil(needed_gib / step) * step)


# MB/s for each TiB -> its capacities.
# Source: Managed Lustre documentation, "Performance tiers" and "Increase the capacity" (2026-06).
LUSTRE_TIERS = {
    125: Tier(least=72_000, most=12_240_000, step=72_000, threshold=12_240_000, large_step=72_000),
    250: Tier(least=36_000, most=40_032_000, step=36_000, threshold=6_120_000, large_step=288_000),
    500: Tier(least=18_000, most=20_016_000, step=18_000, threshold=3_060_000, large_step=144_000),
    1000: Tier(least=9_000, most=10_008_000, step=9_000, threshold=1_530_000, large_step=72_000),
}


@dataclass(frozen=True, kw_only=True)
class LustrePlan:
    """capacity_gib: as provisioned, GiB. usable_gib: GiB that data may fill. tier: MB/s for each TiB of 1,024 GiB.

    bucket: the bucket that it copies from and, with write_back, to, as the spec names it. choice: reason for this tier,
    in one sentence.
    """

    capacity_gib: int
    usable_gib: int
    tier: int
    protect: bool
    bucket: str | None = None
    write_back: bool = False
    choice: str

    @property
    def gb_per_s(self) -> Decimal:
        """Total throughput, GB/s."""
        return Decimal(self.capacity_gib) / GIB_PER_TIB * self.tier / 1_000


SharedPlan = LustrePlan | BucketPlan | ExistingStoragePlan


def _capacity(shared: SharedStorage, tier: int) -> int:
    fast_gib = shared.gb_per_s * 1_000 / tier * GIB_PER_TIB
    return LUSTRE_TIERS[tier].capacity(max(shared.usable_tib * GIB_PER_TIB * HEADROOM, fast_gib))


def plan_lustre(shared: SharedStorage, price: TierPrices) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    Without a price here, `cheapest` documents the choice. Some tier must be large enough: see `plan_shared`.
    """
    capacities = {tier: _capacity(shared, tier) for tier in LUSTRE_TIERS}
    chosen, choice = cheapest(
        [offer(tier, capacity, price) for tier, capacity in capacities.items() if capacity <= LUSTRE_TIERS[tier].most],
        tier=shared.tier,
    )
    return LustrePlan(
        capacity_gib=chosen.capacity_gib,
        usable_gib=math.floor(shared.usable_tib * GIB_PER_TIB),
        tier=chosen.tier,
        protect=shared.protect,
        bucket=shared.bucket,
        write_back=shared.write_back,
        choice=choice,
    )


def plan_shared(shared: SharedStorage, planning: Planning[Location], *, cidr: str) -> SharedPlan:
    """A bucket, the user's file system or a new Managed Lustre instance. cidr: addresses of the nodes."""
    storage = plan_shared_bucket(shared, planning) or plan_existing_storage(
        shared,
        planning,
        pattern=_FILES,
        example="projects/my-project/locations/us-central1-b/instances/shared",
        cidr=cidr,
    )
    if shared.fabric:
        planning.losses.append(
            "storage.shared.fabric: nodes reach Managed Lustre over the host network, never over the GPU fabric"
        )
    if shared.bucket is not None:
        back = " and write_back" if shared.write_back else ""
        planning.losses.append(
            f"storage.shared.bucket{back}: Managed Lustre does not sync with a bucket automatically; a command copies "
            "data (docs/run/data.md)"
        )
    return storage or _new_lustre(shared, planning)


def _new_lustre(shared: SharedStorage, planning: Planning[Location]) -> LustrePlan:
    if shared.bucket is not None and not re.fullmatch(_BUCKET, shared.bucket):
        fix = f"on Google Cloud write gs://name or gs://name/folder, or {OWN} for storage.bucket"
        planning.refuse("storage.shared.bucket", f"is {shared.bucket!r}", fix)
    tiers = [tier for tier in LUSTRE_TIERS if shared.tier in (None, tier)]
    if not any(_capacity(shared, tier) <= LUSTRE_TIERS[tier].most for tier in tiers):
        limits = ", ".join(f"{LUSTRE_TIERS[tier].most:,} GiB at {tier} MB/s per TiB" for tier in tiers)
        planning.refuse(
            "storage.shared",
            f"requests {shared.usable_tib} TiB of data, plus 25 % headroom, and {shared.gb_per_s} GB/s",
            f"Managed Lustre has at most {limits}: request less",
        )
        shared = SharedStorage(usable_tib=Decimal(1))
    plan = plan_lustre(shared, tier_prices(planning.prices, CLOUD, planning.location.region))
    planning.quotas[LUSTRE] += plan.capacity_gib
    planning.notes.append(f"shared storage: {plan.choice}")
    _report_zone(planning.location.zone, planning)
    return plan


def _report_zone(zone: str, planning: Planning[Location]) -> None:
    """Asks whether the zone has Managed Lustre, with a note if no known list has it there. All lists are incomplete, so
    none refuses a zone.
    """
    known = zones_of("managed-lustre")
    region = zone.rpartition("-")[0]
    near = ", ".join(name for name in known if name.startswith(f"{region}-"))
    note = (
        f"Managed Lustre: no known list has {zone}{f', only {near}' if near else ''}; check before `up`: "
        "cloud.google.com/managed-lustre/docs/locations"
    )
    planning.ask(
        Question(about="lustre-zone", subject="Managed Lustre", place=zone, note="" if zone in known else note)
    )

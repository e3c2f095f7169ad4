"""Shared storage on AWS: an FSx for Lustre file system at the lowest price, or an existing one. Imports no Pulumi."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.planning.belongings import bucket_question, file_system_question, role_question
from gpucluster.components.aws.planning.quotas import LUSTRE
from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.components.planning.planning import GIB_PER_TIB, HEADROOM, Planning
from gpucluster.components.shared.file_systems import (
    ExistingStoragePlan,
    TierPrices,
    cheapest,
    offer,
    plan_existing_storage,
    tier_prices,
)
from gpucluster.components.spec.storage import OWN, SharedStorage
from gpucluster.core.catalog.aws_regions import aws_regions, local_zone_lustre
from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.catalog.machines import Machine, lustre_efa
from gpucluster.core.program.questions import Question

# Source: Amazon S3 user guide, "General purpose bucket naming rules"; FSx API reference, DataRepositoryPath.
_S3: Final = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$"
_LONGEST: Final = 900
# Source: FSx API reference, FileSystemId.
_FILES: Final = r"^fs-[0-9a-f]{8,17}$"

# EFA connections of all clients to one file system, one for each interface. Source: FSx for Lustre user
# guide, configure-efa-clients.
_CONNECTIONS: Final = 1024
# The first version whose EKS image has kernel 6.12, which contains the EFA driver of Lustre's network; 1.36 has 6.18.
# Sources: awslabs/amazon-eks-ami v20260714, templates/al2023/variables-1.33.json; bottlerocket-os/
# bottlerocket-kernel-kit 6603167, packages/kernel-6.12/kernel-6.12.spec (kefalnd), derived from Amazon Linux's package.
_FIRST: Final = "1.33"
# Throughput of one client over EFA, Gb/s. Source: FSx for Lustre user guide, performance, 2026-08-15.
_OVER_EFA: Final = 700

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


@dataclass(frozen=True, kw_only=True)
class LustrePlan:
    """capacity_gib: as provisioned, GiB. usable_gib: GiB that data may fill. tier: MB/s for each 1,000 GiB. deployment:
    the type in FSx. in_gpu_zone: whether it is in the GPU nodes' zone.

    fabric: clients may mount it over EFA. bucket: the linked bucket, as the spec names it. write_back: whether changes
    on it are written to the bucket. choice: reason for this tier, in one sentence.
    """

    capacity_gib: int
    usable_gib: int
    tier: int
    deployment: str = "PERSISTENT_2"
    in_gpu_zone: bool = True
    protect: bool
    fabric: bool = False
    bucket: str | None = None
    write_back: bool = False
    choice: str

    @property
    def gb_per_s(self) -> Decimal:
        """Total baseline throughput, GB/s. AWS counts 2,400 GiB as 2.4 TiB."""
        return Decimal(self.capacity_gib) * self.tier / 1_000_000


@dataclass(frozen=True, kw_only=True)
class LustrePlace:
    """sold: the deployment that FSx sells, as in the table of regions. in_gpu_zone: whether it is in the GPU nodes'
    zone, not in the first of the control plane's.
    """

    sold: str
    in_gpu_zone: bool


def lustre_place(location: Location) -> LustrePlace:
    """Zone of the shared file system: in a Local Zone only if FSx is known to sell one there."""
    local, region = location.local_zone, aws_regions()[location.region].lustre
    if local is not None and (sold := local_zone_lustre(local)):
        return LustrePlace(sold=sold, in_gpu_zone=True)
    return LustrePlace(sold=region or "persistent_2", in_gpu_zone=local is None)


def plan_storage(shared: SharedStorage, planning: Planning[Location], *, cidr: str) -> LustrePlan | ExistingStoragePlan:
    """cidr: addresses of the nodes."""
    bucket = shared.bucket
    if shared.kind == "bucket":
        fix = "choose lustre, and link a bucket to it with storage.shared.bucket"
        planning.refuse("storage.shared.kind", "is 'bucket', which is not supported on AWS", fix)
    elif bucket not in (None, OWN) and not (re.fullmatch(_S3, bucket) and len(bucket) <= _LONGEST):
        fix = f"on AWS write s3://name or s3://name/prefix, or {OWN} for storage.bucket"
        planning.refuse("storage.shared.bucket", f"is {bucket!r}", fix)
    existing = plan_existing_storage(shared, planning, pattern=_FILES, example="fs-0123456789abcdef0", cidr=cidr)
    if existing is not None:
        planning.ask(file_system_question(existing.files.id, planning.location.region))
    return existing or _plan_lustre(shared, planning)


def _plan_lustre(shared: SharedStorage, planning: Planning[Location]) -> LustrePlan:
    place, region = lustre_place(planning.location), planning.location.region
    if _refuse_place(shared, place, planning):
        shared = shared.model_copy(update={"fabric": False, "tier": None})
    plan = size_lustre(shared, tier_prices(planning.prices, "aws", region), place)
    planning.quotas[LUSTRE[plan.deployment]] += plan.capacity_gib
    planning.notes.append(f"shared storage: {plan.choice}")
    back = "are written back automatically" if plan.write_back else "are not written back"
    appear = f"its objects appear under /bucket, and changes there {back}"
    if plan.bucket == OWN:
        planning.notes.append(f"storage.bucket: {appear}")
    elif plan.bucket is not None:
        planning.ask(bucket_question(plan.bucket, region, f"{plan.bucket} must exist in {region}; {appear}"))
    planning.ask(role_question("AWSServiceRoleForAmazonFSx", "fsx"), _tier(plan, planning.location))
    return plan


def _tier(plan: LustrePlan, location: Location) -> Question:
    return Question(
        about="file system",
        subject=f"FSx for Lustre {plan.deployment}",
        needed=f"{plan.tier} MB/s per TiB",
        place=location.zone if plan.in_gpu_zone else location.cluster_zones[0],
        decides=False,
    )


def _refuse_place(shared: SharedStorage, place: LustrePlace, planning: Planning[Location]) -> bool:
    """Refuses what FSx does not sell at the location; returns whether there was any such request."""
    location, tiers = planning.location, LUSTRE_TIERS[place.sold]
    field, where = ("zone", location.zone) if location.local_zone else ("region", location.region)
    fix = f"remove it from the spec, or choose another {field}"
    over_ip = shared.fabric and (place.sold != "persistent_2" or not place.in_gpu_zone)
    if over_ip:
        why = "FSx for Lustre has no EFA, which storage.shared.fabric requests"
        planning.refuse_place(field, f"is {where!r}, where {why}", fix)
    no_tier = shared.tier is not None and shared.tier not in tiers
    if no_tier:
        why = f"FSx for Lustre has {', '.join(map(str, tiers))} MB/s per TiB and storage.shared.tier is {shared.tier}"
        planning.refuse_place(field, f"is {where!r}, where {why}", fix)
    return over_ip or no_tier


def size_lustre(shared: SharedStorage, price: TierPrices, place: LustrePlace) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    Without a price here, `cheapest` documents the choice.
    """
    usable_gib = shared.usable_tib * GIB_PER_TIB
    chosen, choice = cheapest(
        [
            offer(
                tier,
                _capacity(tier, max(usable_gib * HEADROOM, shared.gb_per_s * 1_000_000 / tier), shared.fabric),
                price,
            )
            for tier in LUSTRE_TIERS[place.sold]
        ],
        tier=shared.tier,
    )
    return LustrePlan(
        capacity_gib=chosen.capacity_gib,
        usable_gib=math.floor(usable_gib),
        tier=chosen.tier,
        deployment=place.sold.removesuffix("_basic").upper(),
        in_gpu_zone=place.in_gpu_zone,
        protect=shared.protect,
        fabric=shared.fabric,
        bucket=shared.bucket,
        write_back=shared.write_back,
        choice=choice,
    )


def _capacity(tier: int, needed_gib: Decimal, fabric: bool) -> int:
    if fabric:
        return math.ceil(needed_gib / _EFA_STEPS[tier]) * _EFA_STEPS[tier]
    if needed_gib <= _SMALLEST_GIB:
        return _SMALLEST_GIB
    return math.ceil(needed_gib / _STEP_GIB) * _STEP_GIB


def plan_lustre_cards(
    shared: SharedStorage, versions: VersionPlan, shape: Machine, planning: Planning[Location], *, nodes: int
) -> int:
    """EFA interfaces of each training node for the shared storage; 0 if it mounts over IP. shape: of the nodes."""
    if not shared.fabric:
        return 0
    old = minor(versions.nodes or versions.control_plane) < minor(_FIRST)
    cards = 0 if old else min(lustre_efa(shape.machine_type), _CONNECTIONS // nodes)
    if cards:
        most = min(_OVER_EFA, cards * shape.fabric_gbps // shape.network_cards)
        planning.notes.append(
            f"training nodes mount the shared storage over EFA, by {cards} of {shape.network_cards} network cards, "
            f"which jobs use too: at most {most} Gb/s a node; nodes of other pools, and nodes that started without it, "
            "mount it over IP; not tried on machines here"
        )
        return cards
    if not lustre_efa(shape.machine_type):
        why = f"sources list no EFA clients of FSx on {shape.machine_type}"
    elif nodes > _CONNECTIONS:
        why = f"a file system has {_CONNECTIONS:,} EFA connections, fewer than nodes"
    else:
        why = f"images before Kubernetes {_FIRST} lack the driver"
    planning.losses.append(f"shared storage over IP only, not over the GPU fabric (storage.shared.fabric): {why}")
    return 0

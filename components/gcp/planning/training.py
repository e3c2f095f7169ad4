"""The training pool on Google Cloud as plain values: nodes, placement and purchase. Imports no Pulumi.

Sources: Google Cloud documentation, Cluster Director "Choose a consumption option", "Create a future reservation
request in calendar mode", GKE "Consume reserved zonal resources" and "About flex-start";
GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/compute/gke-node-pool (preconditions).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.network_plan import GPU_PODS_PER_NODE
from gpucluster.components.gcp.planning.quotas import add_machines
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.training import TrainingNodes, is_active, refuse_blocks, report_fabric, report_roll
from gpucluster.components.spec.cluster import TrainingSpec
from gpucluster.components.spec.pools import (
    CapacityBlockPurchase,
    FlexStartPurchase,
    OnDemandPurchase,
    Placement,
    Purchase,
    ReservationPlacement,
)
from gpucluster.core.catalog.fabrics import release_of
from gpucluster.core.catalog.machines import Machine, not_sold, sold
from gpucluster.core.program.questions import Question

FLEX_START_DAYS = 7
_CALENDAR_NODES = 80
_CALENDAR_DAYS = 90
# Nodes of one node pool in one zone; one compact placement would support 1,500. Sources: GKE documentation, "Quotas and
# limits" and "Define compact placement for GKE nodes".
_POOL_NODES = 1_000

_RESERVATION = (
    r"^projects/[a-z][a-z0-9.:-]{4,62}/reservations/[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
    r"(/reservationBlocks/[a-z0-9-]+(/reservationSubBlocks/[a-z0-9-]+)?)?$"
)
_RESERVATION_FORM = "projects/PROJECT/reservations/NAME, where wanted with /reservationBlocks/BLOCK"

# Availability of a machine on demand -> note about it. Blueprints: GoogleCloudPlatform/accelerated-platforms (on-demand
# pools of A3 High and A3 Mega).
_ON_DEMAND = {
    "rarely": (
        "on demand: Google's table of consumption options does not list {machine} on demand, although public "
        "blueprints use it; expect no capacity, and plan on {instead}"
    ),
    "listed": (
        "on demand: Google's tables of consumption options do not list {machine} on demand, although it has a price; "
        "plan on {instead}"
    ),
}


@dataclass(frozen=True, kw_only=True)
class PlacementPlan:
    """compact: nodes close together, by a resource policy created for this pool or the named one.

    reservation: its id. policy: the resource policy that the reservation was created with; another reservation gets
    none. periodic: whether its hosts have maintenance at fixed intervals.
    """

    compact: bool
    reservation: str | None = None
    policy: str | None = None
    periodic: bool = False


@dataclass(frozen=True, kw_only=True)
class TrainingPlan(TrainingNodes):
    """flex_start_hours: how long flex-start nodes run, None for other purchase options. queued: all nodes of a job
    start at once, requested by its queue. calendar: a reservation in calendar mode, whose capacity is available only
    after its delivery. driver: branch of the GPU driver, DEFAULT or LATEST.
    """

    placement: PlacementPlan
    driver: str
    flex_start_hours: int | None = None
    queued: bool = False
    calendar: bool = False
    root_gib: int = 200
    max_pods: int = GPU_PODS_PER_NODE


def plan_training(
    spec: TrainingSpec, shape: Machine, planning: Planning[Location], *, fabric: str | None = None, queue: bool
) -> TrainingPlan:
    """The training pool of a spec. shape: of its machines. fabric: the release, None for the default one. queue: the
    cluster's queue starts all flex-start nodes of a job at once: if several started one by one, they would be billed
    while they wait for the last. A pool outside our cluster has no such queue.

    Source: GKE documentation, "Run a large-scale workload with flex-start with queued provisioning" (best practice).
    """
    training, purchase, placement = spec.training, spec.purchase, spec.placement
    flexible = isinstance(purchase, FlexStartPurchase)
    queued = queue and training.size > 1 and flexible
    packs = not flexible or (sold(shape.machine_type, "compact_flex_start") == "yes" and not queued)
    if isinstance(placement, ReservationPlacement) and not re.fullmatch(_RESERVATION, placement.id):
        planning.refuse("placement.id", f"is {placement.id!r}", f"on Google Cloud write {_RESERVATION_FORM}")
    refuse_blocks(placement, "Google Cloud", planning)
    _refuse_sizes(spec, shape, planning)
    if shape.fabric_gbps == 0:
        planning.losses.append(
            f"GPU fabric: {shape.machine_type} has none; nodes communicate by TCP at {shape.host_gbps} Gb/s"
        )
    else:
        roce = "; RoCE at 3,200 Gb/s needs H200 (a3-ultragpu-8g)" if shape.accelerator == "h100" else ""
        report_fabric(training, shape, planning, instead=roce)
    if shape.nvme_disks == 0:
        planning.losses.append(f"/scratch: {shape.machine_type} has no local disks; it is on the boot disk")
    report_roll(training.roll, planning)
    plan = TrainingPlan(
        shape=shape,
        nodes=training.nodes,
        spares=training.spares,
        active=is_active(purchase),
        roll=training.roll,
        placement=_placement(placement, packs=packs),
        driver=(release_of(shape, fabric).driver or "default").upper(),
        flex_start_hours=spec.duration if flexible else None,
        queued=queued,
        calendar=isinstance(purchase, CapacityBlockPurchase),
    )
    if not plan.calendar:
        add_machines(planning, shape, plan.size, preemptible=flexible, root_gib=plan.root_gib)
    return plan


def _placement(placement: Placement, *, packs: bool) -> PlacementPlan:
    """packs: the purchase option supports compact placement."""
    if isinstance(placement, ReservationPlacement):
        group, periodic = placement.group, placement.host_maintenance == "periodic"
        return PlacementPlan(compact=group is not None, reservation=placement.id, policy=group, periodic=periodic)
    return PlacementPlan(compact=placement.kind == "group" and packs)


def _refuse_sizes(spec: TrainingSpec, shape: Machine, planning: Planning[Location]) -> None:
    """More nodes, or for longer, than can be bought in this way."""
    nodes, kind = spec.training.size, "purchase.kind"
    days = (spec.duration or 0) / 24  # the spec has one if needed
    if isinstance(spec.purchase, FlexStartPurchase) and days > FLEX_START_DAYS:
        planning.refuse(
            kind,
            f"is 'flex-start', with nodes for at most {FLEX_START_DAYS} days, but duration is {days:g} days",
            "shorten duration, or choose on-demand or capacity-block",
        )
    why = not_sold(shape.machine_type, "on_demand")
    if why is not None and isinstance(spec.purchase, OnDemandPurchase) and spec.placement.kind != "reservation":
        planning.refuse(kind, f"is 'on-demand', and {why}", "choose flex-start or capacity-block, or a reservation")
    calendar = isinstance(spec.purchase, CapacityBlockPurchase)
    block = "is 'capacity-block', on Google Cloud a calendar reservation"
    if calendar and sold(shape.machine_type, "calendar") != "yes":
        other = ", or set training.fabric_gbps to 1600 (a3-megagpu-8g)" if shape.accelerator == "h100" else ""
        planning.refuse(kind, f"{block}, not sold for {shape.machine_type}", f"choose on-demand{other}")
    several = f"and training.spares make {nodes} nodes"
    if calendar and nodes > _CALENDAR_NODES:
        fix = f"a calendar reservation holds at most {_CALENDAR_NODES}: request fewer"
        planning.refuse("training.nodes", several, fix)
    if calendar and days > _CALENDAR_DAYS:
        planning.refuse(
            kind,
            f"{block} of at most {_CALENDAR_DAYS} days, and duration is {days:g} days",
            "shorten duration or choose on-demand",
        )
    if nodes > _POOL_NODES:
        fix = f"a GKE node pool holds at most {_POOL_NODES:,} in a zone: request fewer"
        planning.refuse("training.nodes", several, fix)


def report_purchase(
    training: TrainingPlan, purchase: Purchase, placement: Placement, planning: Planning[Location]
) -> None:
    """What this purchase option lacks, and what a plan can't check without access to the cloud."""
    machine = training.shape.machine_type
    if training.flex_start_hours is not None:
        start = (
            "all nodes of a job start at once when capacity is available"
            if training.queued
            else "nodes start when capacity is available"
        )
        planning.losses.append(
            f"flex-start: {start}, are not repaired, and are deleted after {training.flex_start_hours} hours"
        )
        if placement.kind == "group" and not training.placement.compact:
            planning.losses.append(
                f"co-location: Google Cloud places flex-start nodes of {machine} as close as it can, and does not "
                "support compact placement for them"
            )
    if isinstance(placement, ReservationPlacement):
        planning.ask(_reservation_question(training, placement.id, planning.location))
        if not training.active:
            planning.notes.append(
                f"the training pool has 0 nodes until {placement.id} is delivered: then set purchase.active: true and "
                "run `pulumi up`"
            )
        return
    note = _ON_DEMAND.get(sold(machine, "on_demand"))
    if isinstance(purchase, OnDemandPurchase) and note is not None:
        calendar = ", a calendar reservation" if sold(machine, "calendar") == "yes" else ""
        planning.before_up.append(note.format(machine=machine, instead=f"a reservation{calendar} or flex-start"))


def _reservation_question(training: TrainingPlan, reservation: str, location: Location) -> Question:
    shape, placement = training.shape, training.placement
    return Question(
        about="reservation",
        subject=reservation,
        needed=training.size,
        unit=f"x {shape.machine_type}",
        place=location.zone,
        details={
            "machine": shape.machine_type,
            "local_ssds": str(shape.nvme_disks),
            "policy": placement.policy or "",
            "delivered": "yes" if training.active else "",
        },
        note=f"{reservation} must hold {training.size} x {shape.machine_type} with its local SSDs in {location.zone}, "
        "the zone of the GPU nodes: the plan does not check this",
        decides=training.active,
    )


def co_location(training: TrainingPlan, placement: Placement) -> str:
    """The co-location of the nodes, as text."""
    if training.placement.reservation is not None:
        return f"as reserved in {training.placement.reservation}"
    if training.placement.compact:
        return "one compact placement group"
    return "best effort, as flex-start places them" if placement.kind == "group" else "none, a single node"

"""Requirements of each purchase option for a pool on Google Cloud. Nothing here buys capacity. Imports no Pulumi.

Sources: Google Cloud documentation, Cluster Director "Choose a consumption option", "Create a future reservation
request in calendar mode", GKE "Consume reserved zonal resources" and "About flex-start";
GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/compute/gke-node-pool (preconditions).
"""

from __future__ import annotations

import re

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import sold
from gpucluster.components.gcp.location import Location
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import (
    CapacityBlockPurchase,
    FlexStartPurchase,
    OnDemandPurchase,
    ReservationPlacement,
)
from gpucluster.components.training import blocks_problems

FLEX_START_DAYS = 7
_CALENDAR_NODES = 80
_CALENDAR_DAYS = 90
# Nodes of one node pool in one zone; one compact placement would support 1,500. Sources: GKE documentation, "Quotas and
# limits" and "Define compact placement for GKE nodes".
POOL_NODES = 1_000

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


def purchase_problems(spec: TrainingSpec, shape: Machine) -> list[Problem]:
    """Why these nodes can't be bought as the spec requests."""
    nodes = spec.training.size
    days = (spec.duration or 0) / 24  # the spec has one if needed
    problems: list[Problem] = []
    if isinstance(spec.placement, ReservationPlacement) and not re.fullmatch(_RESERVATION, spec.placement.id):
        problems.append(
            Problem("placement.id", f"is {spec.placement.id!r}", f"on Google Cloud write {_RESERVATION_FORM}")
        )
    problems += blocks_problems(spec, "Google Cloud")
    if isinstance(spec.purchase, FlexStartPurchase) and days > FLEX_START_DAYS:
        problems.append(
            Problem(
                "purchase.kind",
                f"is 'flex-start', with nodes for at most {FLEX_START_DAYS} days, but duration is {days:g} days",
                "shorten duration, or choose on-demand or capacity-block",
            )
        )
    if isinstance(spec.purchase, CapacityBlockPurchase):
        if sold(shape.machine_type, "calendar") != "yes":
            other = ", or set training.fabric_gbps to 1600 (a3-megagpu-8g)" if shape.accelerator == "h100" else ""
            problems.append(
                Problem(
                    "purchase.kind",
                    f"is 'capacity-block', on Google Cloud a calendar reservation, not sold for {shape.machine_type}",
                    f"choose on-demand{other}",
                )
            )
        if nodes > _CALENDAR_NODES:
            problems.append(
                Problem(
                    "training.nodes",
                    f"and training.spares make {nodes} nodes",
                    f"a calendar reservation holds at most {_CALENDAR_NODES}: request fewer",
                )
            )
        if days > _CALENDAR_DAYS:
            problems.append(
                Problem(
                    "purchase.kind",
                    f"is 'capacity-block', on Google Cloud a calendar reservation of at most {_CALENDAR_DAYS} "
                    f"days, and duration is {days:g} days",
                    "shorten duration or choose on-demand",
                )
            )
    if nodes > POOL_NODES:
        problems.append(
            Problem(
                "training.nodes",
                f"and training.spares make {nodes} nodes",
                f"a GKE node pool holds at most {POOL_NODES:,} in a zone: request fewer",
            )
        )
    return problems


def queues_nodes(spec: TrainingSpec) -> bool:
    """Whether all flex-start nodes of a job start at once, as the cluster's queue requests from GKE: if several started
    one by one, they would be billed while they wait for the last. A pool outside our cluster has no such queue.

    Source: GKE documentation, "Run a large-scale workload with flex-start with queued provisioning" (best practice).
    """
    several = spec.training.size > 1
    return several and isinstance(spec, ClusterSpec) and isinstance(spec.purchase, FlexStartPurchase)


def purchase_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """Features that this purchase option lacks."""
    if not isinstance(spec.purchase, FlexStartPurchase):
        return []
    queued = queues_nodes(spec)
    come = (
        ("all nodes of a job start at once when capacity is available")
        if queued
        else "nodes start when capacity is available"
    )
    losses = [f"flex-start: {come}, are not repaired, and are deleted after {spec.duration} hours"]
    if spec.placement.kind == "group" and (queued or sold(shape.machine_type, "compact_flex_start") != "yes"):
        losses.append(
            f"co-location: Google Cloud places flex-start nodes of {shape.machine_type} as close as it can, and does "
            "not support compact placement for them"
        )
    return losses


def purchase_notes(spec: TrainingSpec, shape: Machine, location: Location) -> list[str]:
    """Requirements that a plan can't check without access to the cloud."""
    nodes = spec.training.size
    placement = spec.placement
    if isinstance(placement, ReservationPlacement):
        notes = [
            f"{placement.id} must hold {nodes} x {shape.machine_type} with its local SSDs in {location.zone}, the zone "
            "of the GPU nodes: the plan does not check this"
        ]
        if isinstance(spec.purchase, CapacityBlockPurchase) and not spec.purchase.active:
            notes.append(
                f"the training pool has 0 nodes until {placement.id} is delivered: then set purchase.active: true and "
                "run `pulumi up`"
            )
        return notes
    note = _ON_DEMAND.get(sold(shape.machine_type, "on_demand"))
    if isinstance(spec.purchase, OnDemandPurchase) and note is not None:
        calendar = ", a calendar reservation" if sold(shape.machine_type, "calendar") == "yes" else ""
        return [note.format(machine=shape.machine_type, instead=f"a reservation{calendar} or flex-start")]
    return []

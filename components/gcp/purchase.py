"""What each way to buy GPU nodes asks of a pool on Google Cloud. Nothing here buys a reservation. Imports no Pulumi.

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
from gpucluster.components.spec import (
    CapacityBlockPurchase,
    FlexStartPurchase,
    OnDemandPurchase,
    ReservationPlacement,
    TrainingSpec,
)

__all__ = ["FLEX_START_DAYS", "purchase_losses", "purchase_notes", "purchase_problems"]

FLEX_START_DAYS = 7
_CALENDAR_NODES = 80
_CALENDAR_DAYS = 90
# Nodes that GKE places in one group. Source: GKE documentation, "Define compact placement for GKE nodes".
_GROUP_NODES = 1_500

_RESERVATION = re.compile(
    r"^projects/[a-z][a-z0-9.:-]{4,62}/reservations/[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
    r"(/reservationBlocks/[a-z0-9-]+(/reservationSubBlocks/[a-z0-9-]+)?)?$"
)
_RESERVATION_FORM = "projects/PROJECT/reservations/NAME, where wanted with /reservationBlocks/BLOCK"

# How far a machine is sold on demand -> what to say of it. Blueprints: GoogleCloudPlatform/accelerated-platforms
# (on-demand pools of A3 High and A3 Mega).
_ON_DEMAND = {
    "rarely": (
        "on demand: Google's table of consumption options does not offer {machine} so, while public blueprints declare "
        "it; expect to find no capacity, and plan on {instead}"
    ),
    "listed": (
        "on demand: Google's tables of consumption options do not offer {machine} so, although a price is listed; plan "
        "on {instead}"
    ),
}


def purchase_problems(spec: TrainingSpec, shape: Machine) -> list[Problem]:
    """Why these nodes can't be bought as the spec says."""
    nodes = spec.training.nodes + spec.training.spares
    days = (spec.duration or 0) / 24  # the spec has one wherever it matters
    problems: list[Problem] = []
    if isinstance(spec.placement, ReservationPlacement) and not _RESERVATION.match(spec.placement.id):
        problems.append(
            Problem("placement.id", f"is {spec.placement.id!r}", f"on Google Cloud write {_RESERVATION_FORM}")
        )
    if isinstance(spec.purchase, FlexStartPurchase) and days > FLEX_START_DAYS:
        problems.append(
            Problem(
                "purchase.kind",
                f"is 'flex-start', whose nodes are taken back after {FLEX_START_DAYS} days, and duration is "
                f"{days:g} days",
                "shorten duration, or choose on-demand or capacity-block",
            )
        )
    if isinstance(spec.purchase, CapacityBlockPurchase):
        if sold(shape.machine_type, "calendar") != "yes":
            other = ", or ask for training.fabric_gbps 1600 (a3-megagpu-8g)" if shape.accelerator == "h100" else ""
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
                    f"a calendar reservation holds at most {_CALENDAR_NODES}: ask for fewer",
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
    if nodes > _GROUP_NODES:
        problems.append(
            Problem(
                "training.nodes",
                f"and training.spares make {nodes} nodes",
                f"one compact placement holds at most {_GROUP_NODES:,}: ask for fewer",
            )
        )
    return problems


def purchase_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """What this way to buy can't give."""
    if not isinstance(spec.purchase, FlexStartPurchase):
        return []
    losses = [
        "flex-start: nodes come when there is capacity, each by itself, are not repaired, and are taken back after "
        f"{spec.duration} hours"
    ]
    if spec.placement.kind == "group" and sold(shape.machine_type, "compact_flex_start") != "yes":
        losses.append(
            f"co-location: Google Cloud places flex-start nodes of {shape.machine_type} as close as it can, and takes "
            "no compact placement for them"
        )
    return losses


def purchase_notes(spec: TrainingSpec, shape: Machine, location: Location) -> list[str]:
    """What must be true that a plan, which asks no cloud, can't check."""
    nodes = spec.training.nodes + spec.training.spares
    placement = spec.placement
    if isinstance(placement, ReservationPlacement):
        notes = [
            f"{placement.id} must hold {nodes} x {shape.machine_type} with its local SSDs in {location.zone}, the zone "
            "of the GPU nodes: nothing is looked up before up"
        ]
        if isinstance(spec.purchase, CapacityBlockPurchase) and not spec.purchase.active:
            notes.append(
                f"the training pool has 0 nodes until {placement.id} is delivered: then set purchase.active: true and "
                "run up"
            )
        return notes
    note = _ON_DEMAND.get(sold(shape.machine_type, "on_demand"))
    if isinstance(spec.purchase, OnDemandPurchase) and note is not None:
        calendar = ", a calendar reservation" if sold(shape.machine_type, "calendar") == "yes" else ""
        return [note.format(machine=shape.machine_type, instead=f"a reservation{calendar} or flex-start")]
    return []

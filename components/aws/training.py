"""The training pool on AWS as plain values: nodes, placement, requirements. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Literal

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.interfaces import Interface, plan_interfaces
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.network_plan import NetworkPlan, plan_network
from gpucluster.components.aws.purchase import (
    BLOCK_SIZES,
    block_notes,
    block_size,
    on_demand_note,
    reservation_notes,
)
from gpucluster.components.flex_start import flex_start_problems
from gpucluster.components.kubernetes.node_health.plan import most_drained
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, ReservationPlacement
from gpucluster.components.training import TrainingNodes, has_begun
from gpucluster.record import record


@record(kw_only=True)
class PlacementPlan:
    """group: create a cluster placement group. reservation: target this one instead, in `group_name` only if the
    reservation was created inside that group: with another group, the launch gets no capacity.
    """

    kind: Literal["group", "reservation", "none"]
    reservation: str | None = None
    group_name: str | None = None

    @property
    def co_location(self) -> str:
        """A description to print."""
        return {
            "group": "one cluster placement group",
            "reservation": f"as reserved in {self.reservation}",
            "none": "none, a single node",
        }[self.kind]


@record(kw_only=True)
class TrainingPlan(TrainingNodes):
    """capacity_block: bought for fixed dates. most_broken: nodes above which none is repaired. lustre_cards: EFA
    interfaces of a node for the shared storage; 0 for IP.
    """

    capacity_block: bool
    most_broken: int
    placement: PlacementPlan
    interfaces: tuple[Interface, ...]
    lustre_cards: int = 0
    root_gib: int = 500

    @property
    def least(self) -> int:
        """Minimum of nodes: EKS scales the pool of a capacity block to 0 before the block ends."""
        return 0 if self.capacity_block else self.started


def plan_training(spec: TrainingSpec, shape: Machine, *, lustre_cards: int = 0) -> TrainingPlan:
    """The training pool of a spec without problems. shape: of its machines. lustre_cards: as in the plan."""
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        active=has_begun(spec),
        roll=spec.training.roll,
        capacity_block=isinstance(spec.purchase, CapacityBlockPurchase),
        most_broken=most_drained(spec.training.size),
        placement=_placement(spec),
        interfaces=plan_interfaces(shape),
        lustre_cards=lustre_cards,
    )


def _placement(spec: TrainingSpec) -> PlacementPlan:
    if isinstance(spec.placement, ReservationPlacement):
        return PlacementPlan(kind="reservation", reservation=spec.placement.id, group_name=spec.placement.group)
    return PlacementPlan(kind=spec.placement.kind)


def training_problems(spec: TrainingSpec) -> list[Problem]:
    """Why AWS can't run the training pool."""
    return [*_size_problems(spec), *flex_start_problems(spec, "AWS"), *_reservation_problems(spec)]


def _size_problems(spec: TrainingSpec) -> list[Problem]:
    network = plan_network(spec.network) if isinstance(spec, ClusterSpec) else NetworkPlan()
    limit, what = (
        (BLOCK_SIZES[-1], "a pool can target one capacity block, which holds")
        if isinstance(spec.purchase, CapacityBlockPurchase)
        else (network.most_nodes, "the GPU subnet has addresses for")
    )
    size = spec.training.size
    if size <= limit:
        return []
    return [
        Problem("training.nodes", f"and training.spares make {size} nodes", f"{what} at most {limit}: request fewer")
    ]


def _reservation_problems(spec: TrainingSpec) -> list[Problem]:
    if not isinstance(spec.placement, ReservationPlacement) or re.fullmatch("cr-[0-9a-z]+", spec.placement.id):
        return []
    return [
        Problem(
            "placement.id", f"is {spec.placement.id!r}", "write the id of an AWS reservation or capacity block: cr-..."
        )
    ]


def training_notes(training: TrainingPlan, location: Location) -> list[str]:
    """Requirements on its capacity that the plan can't check."""
    reservation, machine = training.placement.reservation, training.shape.machine_type
    if reservation is None:
        return [*_ip_notes(training), on_demand_note(nodes=training.size, machine=machine, location=location)]
    held = (block_size(training.size) if training.capacity_block else None) or training.size
    block = block_notes(reservation, nodes=training.size, active=training.active) if training.capacity_block else []
    return [
        *_ip_notes(training),
        *reservation_notes(reservation, nodes=held, machine=machine, location=location),
        *block,
    ]


def _ip_notes(training: TrainingPlan) -> list[str]:
    """IP bandwidth of a machine with many cards, of which only one has an address."""
    shape = training.shape
    if shape.network_cards < 2:
        return []
    return [
        f"shared storage, S3 and checkpoints share {shape.host_gbps} Gb/s a node: one of its {shape.network_cards} "
        "network cards carries IP traffic"
    ]

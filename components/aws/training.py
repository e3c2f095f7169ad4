"""The training pool on AWS as plain values: nodes, placement, requirements. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Final, Literal

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.interfaces import Interface, plan_interfaces
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.network_plan import NetworkPlan, plan_network
from gpucluster.components.aws.purchase import (
    BLOCK_SIZES,
    ROLL_NOTE,
    block_notes,
    block_size,
    blocks_note,
    group_note,
    on_demand_note,
    reservation_notes,
)
from gpucluster.components.flex_start import flex_start_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import BlocksPlacement, CapacityBlockPurchase, ReservationPlacement
from gpucluster.components.training import TrainingNodes, has_begun, maintenance_problems
from gpucluster.record import record

_RESERVATION: Final = "cr-[0-9a-z]+"
_GROUP: Final = r"arn:aws[a-z-]*:resource-groups:(?P<region>[a-z0-9-]+):\d{12}:group/[\w.-]{1,300}"


@record(kw_only=True)
class PlacementPlan:
    """group: create a cluster placement group. reservation: target this one instead, in `group_name` only if the
    reservation was created inside that group: with another group, the launch gets no capacity. blocks: capacity blocks,
    each with its nodes.
    """

    kind: Literal["group", "reservation", "blocks", "none"]
    reservation: str | None = None
    group_name: str | None = None
    blocks: tuple[tuple[str, int], ...] = ()

    @property
    def co_location(self) -> str:
        """A description to print."""
        return {
            "group": "one cluster placement group",
            "reservation": f"as reserved in {self.reservation}",
            "blocks": f"each of {len(self.blocks)} capacity blocks",
            "none": "none, a single node",
        }[self.kind]


@record(kw_only=True)
class TrainingPart:
    """The nodes of one node group. suffix: of its names, empty if the pool has no other. reservation: that they start
    in, by its id or the ARN of a resource group.
    """

    suffix: str
    nodes: int
    reservation: str | None


@record(kw_only=True)
class TrainingPlan(TrainingNodes):
    """capacity_block: bought for fixed dates. lustre_cards: EFA cards of a node for the shared storage; 0 for IP."""

    capacity_block: bool
    placement: PlacementPlan
    interfaces: tuple[Interface, ...]
    lustre_cards: int = 0
    root_gib: int = 500

    @property
    def parts(self) -> tuple[TrainingPart, ...]:
        """One node group for each capacity block: EKS takes one block by its id, and scales the group to 0 before that
        block ends.

        Source: Amazon EKS user guide, ml-node-groups.
        """
        if not self.placement.blocks:
            return (TrainingPart(suffix="", nodes=self.size, reservation=self.placement.reservation),)
        return tuple(
            # The name of an EKS node group has at most 63 characters, with those of cluster and Pulumi.
            TrainingPart(suffix=f"-{id_.removeprefix('cr-')}", nodes=nodes, reservation=id_)
            for id_, nodes in self.placement.blocks
        )


def plan_training(spec: TrainingSpec, shape: Machine, *, lustre_cards: int = 0) -> TrainingPlan:
    """The training pool of a spec without problems. shape: of its machines. lustre_cards: as in the plan."""
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        active=has_begun(spec),
        roll=spec.training.roll,
        capacity_block=isinstance(spec.purchase, CapacityBlockPurchase),
        placement=_placement(spec),
        interfaces=plan_interfaces(shape),
        lustre_cards=lustre_cards,
    )


def _placement(spec: TrainingSpec) -> PlacementPlan:
    if isinstance(spec.placement, ReservationPlacement):
        return PlacementPlan(kind="reservation", reservation=spec.placement.id, group_name=spec.placement.group)
    if isinstance(spec.placement, BlocksPlacement):
        return PlacementPlan(kind="blocks", blocks=tuple(spec.placement.blocks.items()))
    return PlacementPlan(kind=spec.placement.kind)


def training_problems(spec: TrainingSpec) -> list[Problem]:
    """Why AWS can't run the training pool."""
    return [
        *_size_problems(spec),
        *flex_start_problems(spec, "AWS"),
        *_reservation_problems(spec),
        *maintenance_problems(spec),
        *_block_problems(spec),
    ]


def _size_problems(spec: TrainingSpec) -> list[Problem]:
    network = plan_network(spec.network) if isinstance(spec, ClusterSpec) else NetworkPlan()
    limit, what, more = network.most_nodes, "the GPU subnet has addresses for", ""
    if isinstance(spec.placement, ReservationPlacement) and isinstance(spec.purchase, CapacityBlockPurchase):
        limit, what = BLOCK_SIZES[-1], "placement.kind reservation has one capacity block, which holds"
        more = ", or choose placement.kind blocks for several"
    size = spec.training.size
    if size <= limit:
        return []
    fix = f"{what} at most {limit}: request fewer{more}"
    return [Problem("training.nodes", f"and training.spares make {size} nodes", fix)]


def _block_problems(spec: TrainingSpec) -> list[Problem]:
    problems: list[Problem] = []
    blocks = spec.placement.blocks if isinstance(spec.placement, BlocksPlacement) else {}
    for id_, nodes in blocks.items():
        if not re.fullmatch(_RESERVATION, id_):
            why = "is not the id of a capacity block"
            problems.append(Problem(f"placement.blocks.{id_}", why, "write its id: cr-..."))
        if not 1 <= nodes <= BLOCK_SIZES[-1]:
            allowed = f"a capacity block holds 1 to {BLOCK_SIZES[-1]}"
            problems.append(Problem(f"placement.blocks.{id_}", f"is {nodes}", allowed))
    return problems


def _reservation_problems(spec: TrainingSpec) -> list[Problem]:
    if not isinstance(spec.placement, ReservationPlacement) or re.fullmatch(_RESERVATION, spec.placement.id):
        return []
    why, fix = f"is {spec.placement.id!r}", "write the id of an AWS reservation or capacity block: cr-..."
    if not re.fullmatch(_GROUP, spec.placement.id):
        return [Problem("placement.id", why, f"{fix}, or the ARN of a resource group of reservations")]
    if not isinstance(spec.purchase, CapacityBlockPurchase):
        return []
    why += ", but EKS takes a capacity block only by its own id"
    return [Problem("placement.id", why, "write cr-..., or for several blocks placement.kind blocks")]


def reservation_place_problems(spec: TrainingSpec, location: Location) -> list[Problem]:
    """Why a resource group can't be used in the region of the cluster."""
    placement = spec.placement
    found = re.fullmatch(_GROUP, placement.id) if isinstance(placement, ReservationPlacement) else None
    if found is None or found["region"] == location.region:
        return []
    why = f"is in {found['region']}, but the GPU nodes are in {location.region}"
    return [Problem("placement.id", why, "write the resource group of that region")]


def training_notes(training: TrainingPlan, location: Location) -> list[str]:
    """Requirements on its capacity that the plan can't check."""
    machine, notes = training.shape.machine_type, _ip_notes(training)
    for part in training.parts:
        if part.reservation is None:
            notes.append(on_demand_note(nodes=part.nodes, machine=machine, location=location))
        elif re.fullmatch(_GROUP, part.reservation):
            notes.append(group_note(part.reservation, nodes=part.nodes, machine=machine, location=location))
        else:
            held = (block_size(part.nodes) if training.capacity_block else None) or part.nodes
            notes += reservation_notes(part.reservation, nodes=held, machine=machine, location=location)
            if training.capacity_block:
                several = len(training.parts) > 1
                notes += block_notes(part.reservation, nodes=part.nodes, active=training.active, several=several)
    if training.capacity_block and training.roll and training.active:
        notes.append(ROLL_NOTE)
    return notes + ([blocks_note(len(training.parts))] if training.placement.blocks else [])


def _ip_notes(training: TrainingPlan) -> list[str]:
    """IP bandwidth of a machine with many cards, of which only one has an address."""
    shape = training.shape
    if shape.network_cards < 2:
        return []
    return [
        f"shared storage, S3 and checkpoints share {shape.host_gbps} Gb/s a node: one of its {shape.network_cards} "
        "network cards carries IP traffic"
    ]

"""The training pool on AWS as plain values: nodes, placement, purchase. Imports no Pulumi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.planning.quotas import BLOCKS, INTERFACES, NODES, ON_DEMAND, RESERVED
from gpucluster.components.kubernetes.node_health.plan import most_drained
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.elastic import refuse_flex_start
from gpucluster.components.shared.training import TrainingNodes, is_active, refuse_maintenance, report_roll
from gpucluster.components.spec.cluster import TrainingSpec
from gpucluster.components.spec.pools import BlocksPlacement, CapacityBlockPurchase, Placement, ReservationPlacement
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.questions import Question

_RESERVATION: Final = "cr-[0-9a-z]+"
_GROUP: Final = r"arn:aws[a-z-]*:resource-groups:(?P<region>[a-z0-9-]+):\d{12}:group/[\w.-]{1,300}"


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One interface of a launch template: `interface` carries IP, `efa-only` the fabric and no address."""

    card: int
    device: int
    kind: Literal["interface", "efa-only"]


def plan_interfaces(shape: Machine) -> tuple[Interface, ...]:
    """One IP interface, and one fabric interface for each network card of the fabric.

    Device 0 of card 0 must be the IP interface, so a fabric interface on that card is device 1; a p6-b300.48xlarge has
    none there. The fabric interfaces have no address, so a p5.48xlarge uses one address of the subnet for the node, not
    32.
    Source: Amazon EC2 user guide, page efa-acc-inst-types.
    """
    return (
        Interface(card=0, device=0, kind="interface"),
        *(Interface(card=card, device=int(card == 0), kind="efa-only") for card in shape.fabric_cards),
    )


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class TrainingPart:
    """The nodes of one node group. suffix: of its names, empty if the pool has no other. reservation: that they start
    in, by its id or the ARN of a resource group. most_broken: as in the plan.
    """

    suffix: str
    nodes: int
    most_broken: int
    reservation: str | None


@dataclass(frozen=True, kw_only=True)
class TrainingPlan(TrainingNodes):
    """capacity_block: bought for fixed dates. most_broken: nodes that EKS repairs at a time, if the pool has one group;
    decided here, since a program must not calculate with a placeholder of a number. lustre_cards: EFA cards of a
    node for the shared storage; 0 for IP.
    """

    capacity_block: bool
    most_broken: int
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
            reservation, most = self.placement.reservation, self.most_broken
            return (TrainingPart(suffix="", nodes=self.size, most_broken=most, reservation=reservation),)
        return tuple(
            TrainingPart(
                # The name of an EKS node group has at most 63 characters, with those of cluster and Pulumi.
                suffix=f"-{id_.removeprefix('cr-')}",
                nodes=nodes,
                most_broken=most_drained(nodes),
                reservation=id_,
            )
            for id_, nodes in self.placement.blocks
        )


def plan_training(
    spec: TrainingSpec, shape: Machine, planning: Planning[Location], *, most_nodes: int, lustre_cards: int = 0
) -> TrainingPlan:
    """shape: of its machines. most_nodes: that fit into the subnet. lustre_cards: as in the plan."""
    block = isinstance(spec.purchase, CapacityBlockPurchase)
    plan = TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        active=is_active(spec.purchase),
        roll=spec.training.roll,
        capacity_block=block,
        most_broken=most_drained(spec.training.nodes + spec.training.spares),
        placement=_plan_placement(spec.placement, planning, block=block),
        interfaces=plan_interfaces(shape),
        lustre_cards=lustre_cards,
    )
    limit, what = most_nodes, f"the GPU subnet has addresses for at most {most_nodes}: request fewer"
    if block and plan.placement.kind == "reservation":
        limit = BLOCK_SIZES[-1]
        what = (
            f"placement.kind reservation has one capacity block, which holds at most {limit}: request fewer, or choose "
            "placement.kind blocks for several"
        )
    if plan.size > limit:
        planning.refuse("training.nodes", f"and training.spares make {plan.size} nodes", what)
    refuse_flex_start("AWS", planning, purchase=spec.purchase)
    refuse_maintenance(spec.placement, planning)
    _report_capacity(plan, planning)
    report_roll(plan.roll, planning)
    return plan


def _plan_placement(placement: Placement, planning: Planning[Location], *, block: bool) -> PlacementPlan:
    """block: bought as a capacity block."""
    if isinstance(placement, ReservationPlacement):
        _check_reservation(placement.id, planning, block=block)
        return PlacementPlan(kind="reservation", reservation=placement.id, group_name=placement.group)
    if not isinstance(placement, BlocksPlacement):
        return PlacementPlan(kind=placement.kind)
    for id_, nodes in placement.blocks.items():
        if not re.fullmatch(_RESERVATION, id_):
            planning.refuse(f"placement.blocks.{id_}", "is not the id of a capacity block", "write its id: cr-...")
        if not 1 <= nodes <= BLOCK_SIZES[-1]:
            allowed = f"a capacity block holds 1 to {BLOCK_SIZES[-1]}"
            planning.refuse(f"placement.blocks.{id_}", f"is {nodes}", allowed)
    return PlacementPlan(kind="blocks", blocks=tuple(placement.blocks.items()))


def _check_reservation(id_: str, planning: Planning[Location], *, block: bool) -> None:
    if re.fullmatch(_RESERVATION, id_):
        return
    group, seen = re.fullmatch(_GROUP, id_), f"is {id_!r}"
    if group is None:
        fix = "write the id of an AWS reservation or capacity block: cr-..."
        planning.refuse("placement.id", seen, f"{fix}, or the ARN of a resource group of reservations")
        return
    if block:
        seen += ", but EKS takes a capacity block only by its own id"
        planning.refuse("placement.id", seen, "write cr-..., or for several blocks placement.kind blocks")
    if group["region"] != planning.location.region:
        why = f"is in {group['region']}, but the GPU nodes are in {planning.location.region}"
        planning.refuse_place("placement.id", why, "write the resource group of that region")


def _report_capacity(plan: TrainingPlan, planning: Planning[Location]) -> None:
    """Requirements on its capacity that the plan can't check, and its quotas; a capacity block has separate ones."""
    machine, location, several = plan.shape.machine_type, planning.location, len(plan.parts) > 1
    if plan.shape.network_cards > 1:
        shared = plan.shape.first_card == 0
        carrier = f"one of its {plan.shape.network_cards} network cards" if shared else "a network card without EFA"
        planning.notes.append(
            f"shared storage, S3 and checkpoints share {plan.shape.host_gbps} Gb/s a node: {carrier} carries IP traffic"
        )
    for part in plan.parts:
        block_nodes = block_size(part.nodes) if plan.capacity_block else None
        if part.reservation is None:
            planning.notes.append(on_demand_note(nodes=part.nodes, machine=machine, location=location))
        elif re.fullmatch(_GROUP, part.reservation):
            note = group_note(part.reservation, nodes=part.nodes, machine=machine, location=location)
            planning.ask(_reservation(part.reservation, part.nodes, plan, location, note, group=True))
        else:
            nodes = block_nodes or part.nodes
            note = reservation_note(part.reservation, nodes=nodes, machine=machine, location=location)
            planning.ask(_reservation(part.reservation, nodes, plan, location, note))
            if plan.capacity_block:
                planning.notes += block_notes(part.reservation, nodes=part.nodes, active=plan.active, several=several)
        planning.quotas[BLOCKS] += block_nodes or 0
    if plan.capacity_block and plan.roll and plan.active:
        planning.before_up.append(ROLL_NOTE)
    if plan.placement.blocks:
        planning.notes.append(blocks_note(len(plan.parts)))
    planning.quotas[ON_DEMAND] += 0 if plan.capacity_block else plan.size * plan.shape.vcpus
    if plan.placement.kind == "reservation" and not plan.capacity_block:
        planning.quotas[RESERVED] += plan.size * plan.shape.vcpus
    planning.quotas[INTERFACES] += plan.size * len(plan.interfaces)
    planning.quotas[NODES] = max(part.nodes for part in plan.parts)


def _reservation(
    id_: str, nodes: int, plan: TrainingPlan, location: Location, note: str, *, group: bool = False
) -> Question:
    """group: of reservations, by its ARN."""
    return Question(
        about="reservations" if group else "reservation",
        subject=id_,
        needed=nodes,
        unit=f"x {plan.shape.machine_type}",
        place=location.zone,
        title="capacity block" if plan.capacity_block else "reservation group" if group else "reservation",
        details={
            "machine": plan.shape.machine_type,
            "type": "capacity-block" if plan.capacity_block else "default",
            "active": "yes" if plan.active else "",
            "group": plan.placement.group_name or "",
        },
        note=note,
    )


# Instances in one capacity block. Source: Amazon EC2 user guide, "Capacity Blocks for ML", and
# aws/aws-eks-best-practices, aiml_compute.
BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)

ROLL_NOTE = (
    "training.roll: EKS asks for a node group without nodes when those of a capacity block are updated, because the "
    "block has no machine to replace one with: set purchase.active: false first, and true again with the new version"
)
"""Source: Amazon EKS user guide, capacity-blocks-mng."""


def block_size(nodes: int) -> int | None:
    """Instances of the smallest capacity block for this many nodes; None if no block is large enough."""
    return next((size for size in BLOCK_SIZES if size >= nodes), None)


def on_demand_note(*, nodes: int, machine: str, location: Location) -> str:
    """The risk of on-demand purchase: no API tells in advance whether EC2 has the machines.

    Source: aws/containers-roadmap #2204.
    """
    return (
        f"on demand does not guarantee capacity: if {location.zone} has no {nodes} x {machine}, the node group fails "
        "with CREATE_FAILED; a reservation or a capacity block guarantees them"
    )


def reservation_note(reservation: str, *, nodes: int, machine: str, location: Location) -> str:
    """Requirements on a reservation that a plan can't check without access to the cloud."""
    return (
        f"{reservation} must hold {nodes} x {machine} in {location.zone}, the zone of the GPU nodes: the plan does not "
        "check this"
    )


def group_note(group: str, *, nodes: int, machine: str, location: Location) -> str:
    """Requirements on a resource group of reservations.

    Source: Amazon EC2 user guide, cr-groups-launch.
    """
    return (
        f"the reservations in {group} must together hold {nodes} x {machine} in {location.zone}: the plan does not "
        "check this; nodes start in them alone, and are close together only if all were created in one cluster "
        "placement group, which is then placement.group"
    )


def blocks_note(blocks: int) -> str:
    """How close the nodes of several blocks are. Source: Amazon EC2 user guide, ec2-capacity-blocks."""
    return (
        f"nodes of one capacity block are close together; no source tells how close those of {blocks} blocks are: "
        "Kueue keeps the pods of a job on close nodes while they have room"
    )


def block_notes(reservation: str, *, nodes: int, active: bool, several: bool = False) -> list[str]:
    """A capacity block for this many nodes: its size, and when its nodes start and end. several: the pool has more."""
    size = block_size(nodes)
    if size is None:
        return []
    sizes = ", ".join(map(str, BLOCK_SIZES))
    idle = size - nodes
    paid = f"{idle} of them {'is' if idle == 1 else 'are'} paid for but unused" if idle else "all of them are used"
    need, instances = (
        "1 node needs" if nodes == 1 else f"{nodes} nodes need",
        "1 instance" if size == 1 else f"{size} instances",
    )
    notes = [f"{need} a capacity block of {instances} (blocks have {sizes}): {paid}"]
    if active:
        what, then = ("the pool", "set purchase.active: false")
        if several:
            what = "its node group"
            then = "remove the block and its nodes from the spec, or set purchase.active: false if all end"
        notes.append(
            f"EKS scales {what} to 0 nodes 40 minutes before {reservation} ends, and EC2 terminates them 30 minutes "
            f"before; by then {then}"
        )
    else:
        notes.append(
            f"the training pool has 0 nodes until {reservation} starts: then set purchase.active: true and run `pulumi "
            "up`"
        )
    return notes

"""Requirements of each purchase option for the training pool. Nothing here buys capacity. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.location import Location

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
    need, held = (
        "1 node needs" if nodes == 1 else f"{nodes} nodes need",
        "1 instance" if size == 1 else f"{size} instances",
    )
    notes = [f"{need} a capacity block of {held} (blocks have {sizes}): {paid}"]
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

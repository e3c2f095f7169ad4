"""EKS managed node groups: machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.handlers.ebs import Disk, default_root, disk_lines, mapped_disks
from cost.handlers.ec2_machines import LAUNCH_TEMPLATE, machine_line, reservation_of, reserved_line
from cost.model import CostLine, Count, NotPriced
from cost.registry import prices
from cost.subject import CannotPrice, Subject

# Capacity type of the group -> purchase in the price book, for what its reservation is worth.
_WORTH: Final = {"CAPACITY_BLOCK": "capacity_block"}


@prices("aws:eks/nodeGroup:NodeGroup")
def node_group(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """`scalingConfig.desiredSize` machines all month, and the EBS volumes of each.

    A group in a capacity block has none before the block begins: `maxSize` are priced, and the floor is what is asked
    for now (EKS user guide, capacity-blocks-mng).

    A node group has no price of its own (EKS price page). The machine type stands in the launch template or on the
    group. Capacity blocks and reservations are billed where they are bought (EC2 user guide, Capacity Reservations).
    """
    capacity = ask.text("capacityType", default="ON_DEMAND")
    count = _count(ask, capacity)
    reference = ask.resource.inputs.get("launchTemplate")
    found = ask.resources.referred(ask.resource, "launchTemplate", LAUNCH_TEMPLATE)
    template = None if found is None else ask.of(found)
    machine, assumption = _machine(ask, template)
    if ask.text("amiType", default="AL2023").startswith("WINDOWS"):
        raise CannotPrice("amiType is Windows: the price book has Linux prices only")

    target = None if template is None else reservation_of(template)
    if target is not None:
        yield reserved_line(ask, machine, count, target, _WORTH.get(capacity, "on_demand"))
    elif capacity in ("ON_DEMAND", "SPOT"):
        yield machine_line(ask, machine, count.expected, capacity.lower(), assumption=assumption)
    elif capacity == "CAPACITY_BLOCK":
        yield ask.not_priced("capacityType is CAPACITY_BLOCK, but its launch template targets no reservation")
    else:
        yield ask.not_priced(f"capacityType is {capacity!r}; priced are ON_DEMAND, SPOT and CAPACITY_BLOCK")

    if template is not None:
        yield from mapped_disks(template, count, region=ask.region)
    elif reference is not None:
        yield ask.not_priced("disks: its launch template is not part of this stack")
    elif ask.get("diskSize") is not None:
        disk = Disk("gp3", ask.number("diskSize"))
        yield from disk_lines(ask, disk, count, what="root disks", region=ask.region)
    else:
        yield from default_root(ask, count, region=ask.region)


def _count(ask: Subject, capacity: str) -> Count:
    now = ask.number("scalingConfig", "desiredSize")
    if capacity != "CAPACITY_BLOCK":
        return Count.fixed(now)
    most = now if ask.get("scalingConfig", "maxSize") is None else ask.number("scalingConfig", "maxSize")
    return Count(most, now, most)


def _machine(ask: Subject, template: Subject | None) -> tuple[str, str]:
    """(machine type, what had to be assumed)."""
    if template is not None and template.resource.inputs.get("instanceType") is not None:
        return template.text("instanceType"), ""
    types = ask.items("instanceTypes")
    if not types:
        if template is None and ask.resource.inputs.get("launchTemplate") is not None:
            raise CannotPrice("its machine type stands in a launch template that is not part of this stack")
        return "t3.medium", "no machine type is declared: t3.medium, the default of EKS"
    first = ask.text("instanceTypes", 0)
    return first, f"priced as {first}, the first of {len(types)} machine types" if len(types) > 1 else ""

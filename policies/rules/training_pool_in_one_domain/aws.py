"""Nodes of one training pool are co-located."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import INSTANCE, NODE_GROUP, SCALING_GROUP, AwsMachines, machines_of
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.placement import (
    CAPACITY_BLOCK,
    Group,
    Reservation,
    group_of,
    own_group_of,
    reservation_of,
)
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import without_fabric
from gpucluster.policies.machines import label_of
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import text

FIX: Final = (
    "Create a placement group with strategy `cluster` and set it in the launch template (placement.groupName), or "
    "target a reservation or capacity block there (capacityReservationSpecification), which already has a placement; "
    "use one for the whole pool. If nodes do not train together, give their node groups different labels "
    "`gpucluster/pool`."
)
READS: Final = f"{MACHINES}, aws:ec2/placementGroup:PlacementGroup"


# EC2 page "Capacity Blocks for ML": instances of one block.
_MOST_IN_A_BLOCK: Final = 64


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool, stack.resources)
    for machines in machines_of(stack.resources):
        yield from without_fabric(machines, machines.labels, gpus=machines.with_gpus)


def _of_pool(pool: tuple[AwsMachines, ...], resources: Resources) -> Iterator[Finding]:
    nowhere: list[AwsMachines] = []
    domains: list[Group | Reservation | Unknown] = []
    for machines in pool:
        group, reservation = _placement(machines, resources)
        if isinstance(group, Group):
            domains.append(group)
            yield from _cluster_strategy(machines, group)
        elif machines.template is UNKNOWN:
            domains.append(UNKNOWN)
            yield machines.template_not_visible()
        elif isinstance(reservation, Reservation):
            domains.append(reservation)
            yield from _block(machines, reservation)
        elif reservation is None and group is None:
            nowhere.append(machines)
        else:
            domains.append(UNKNOWN)
            yield CannotTell(machines.resource, "the placement of its launch template is not known yet")
    if nowhere:
        where = "no placement group and no reservation"
        if any(machines.resource.type == NODE_GROUP and machines.template is None for machines in nowhere):
            where += ": the group has no launch template"
        yield nowhere[0].finding(f"{label_of(tuple(nowhere))}, {where}")
    elif UNKNOWN not in domains:
        yield from _together(pool, [domain for domain in domains if domain is not UNKNOWN])


def _placement(
    machines: AwsMachines, resources: Resources
) -> tuple[Group | Unknown | None, Reservation | Unknown | None]:
    own = own_group_of(machines.resource, resources) if machines.resource.type != NODE_GROUP else None
    names_one = machines.resource.type in (INSTANCE, SCALING_GROUP)
    reservation = reservation_of(machines.resource, resources) if names_one else None
    if not isinstance(machines.template, Resource):
        return own, reservation
    return (
        own or group_of(machines.template, resources),
        reservation if isinstance(reservation, Reservation) else reservation_of(machines.template, resources),
    )


def _cluster_strategy(machines: AwsMachines, group: Group) -> Iterator[Finding]:
    if group.resource is None:
        named = "the placement group" if group.name is UNKNOWN else f"placement group `{group.name}`"
        yield CannotTell(machines.resource, f"{named} is not part of this stack: its strategy is unknown")
        return
    strategy = text(group.resource.inputs, "strategy")
    if strategy is UNKNOWN:
        yield CannotTell(machines.resource, f"the strategy of placement group `{group.resource.name}` is not known yet")
    elif strategy != "cluster":
        yield machines.finding(
            f"{machines.label} in placement group `{group.resource.name}`, whose strategy is `{strategy}`",
            fix="Set the strategy of the placement group to `cluster`.",
        )


def _block(machines: AwsMachines, reservation: Reservation) -> Iterator[Finding]:
    """The number of machines in a capacity block is a fixed limit."""
    template = machines.template if isinstance(machines.template, Resource) else machines.resource
    market = text(template.inputs, "instanceMarketOptions", "marketType")
    made = reservation.resource is not None and reservation.resource.type == CAPACITY_BLOCK
    if (made or market == "capacity-block") and isinstance(machines.nodes, int) and machines.nodes > _MOST_IN_A_BLOCK:
        yield machines.finding(
            f"{machines.label} in one capacity block, which holds at most {_MOST_IN_A_BLOCK}",
            fix="Use fewer nodes, or several blocks, each with its own pool.",
        )


def _together(pool: tuple[AwsMachines, ...], domains: list[Group | Reservation]) -> Iterator[Finding]:
    """Whether all parts of a pool have the same placement."""
    names = {_identity(domain): _named(domain) for domain in domains}
    if len(names) < 2 and (len(domains) < 2 or UNKNOWN not in names):
        return
    told = ", ".join(sorted(set(names.values()), key=lambda name: name.replace("`", "")))
    if all(isinstance(domain, Group) for domain in domains) and UNKNOWN not in names:
        yield pool[0].finding(f"{label_of(pool)} in {len(names)} placement groups: {told}")
    else:
        yield CannotTell(pool[0].resource, f"whether {label_of(pool)} are co-located is unknown: {told}")


def _identity(domain: Group | Reservation) -> str | Unknown:
    if domain.resource is not None:
        return domain.resource.urn
    return domain.name if isinstance(domain, Group) else domain.id


def _named(domain: Group | Reservation) -> str:
    name = domain.resource.name if domain.resource is not None else _identity(domain)
    kind = "" if isinstance(domain, Group) else "reservation "
    return f"{kind}`{name}`" if isinstance(name, str) else f"{kind}not known yet"

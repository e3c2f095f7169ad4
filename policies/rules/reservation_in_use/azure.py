"""A capacity reservation is used by the node pools of its size, and the cluster is allowed to use it.

Source: AKS page "Use capacity reservation groups": a pool names the group, and a cluster with a system-assigned
identity can't use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.names import made_by_name
from gpucluster.policies.clouds.azure.placement import RESERVATION_GROUP, reservation_of
from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import AgentPool, machines_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.policies.rules.reservation_in_use.outside import outside
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import at, text, whole

FIX: Final = (
    "Set capacity_reservation_group_id of the node pool to the reservation's group, or release the reservation."
)
_RESERVATION: Final = "azure-native:compute:CapacityReservation"
READS: Final = f"{MACHINES}, {_RESERVATION}, {RESERVATION_GROUP}"

_GROUP_NAME: Final = "capacityReservationGroupName"
_USER_ASSIGNED: Final = "UserAssigned"


def check(stack: Stack) -> Iterator[Finding]:
    resources = stack.resources
    for reservation in resources.of_type(_RESERVATION):
        machine = text(reservation.inputs, "sku", "name")
        if isinstance(machine, str):
            yield from _taken(reservation, machine, resources)
    for pool in machines_of(resources):
        yield from _permitted(pool, resources)


def _taken(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its size."""
    pools = [pool for pool in machines_of(resources) if str(pool.machine).lower() == machine.lower()]
    answers = {pool.name: _takes(pool, reservation, resources) for pool in pools}
    answers = answers or {of.name: None for of in machines_of(resources) if of.hidden is not None}
    count = whole(reservation.inputs, "sku", "capacity")
    held = f"{count} x {machine}" if isinstance(count, int) else machine
    yield from outside(reservation, machine, f"{held} reserved", answers)


def _takes(pool: AgentPool, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a pool uses the reservation's group; None if unknown before the update."""
    named = reservation_of(pool.written, resources)
    if named is None:
        return False
    group = resources.referred(reservation, _GROUP_NAME, RESERVATION_GROUP)
    group = group or made_by_name(resources, RESERVATION_GROUP, at(reservation.inputs, _GROUP_NAME), _GROUP_NAME)
    if named.resource is not None and group is not None:
        return named.resource is group
    return None if named.id is UNKNOWN or group is None else False


def _permitted(pool: AgentPool, resources: Resources) -> Iterator[Finding]:
    reservation = reservation_of(pool.written, resources)
    if reservation is None or pool.cluster is None:
        return
    kind = text(pool.cluster.inputs, "identity", "type")
    if kind is UNKNOWN:
        yield CannotTell(pool.resource, "whether the cluster's identity may use its reservation is not known yet")
    elif kind != _USER_ASSIGNED:
        yield Violation(
            pool.resource,
            f"{reservation.label} for a cluster with identity {kind or 'of no type'}; required: {_USER_ASSIGNED}",
            fix="Give the cluster a user-assigned identity that is Contributor of the reservation's resource group.",
        )

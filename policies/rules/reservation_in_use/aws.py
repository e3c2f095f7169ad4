"""A reservation is used by its intended machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.karpenter import machine_pools, selects
from gpucluster.policies.clouds.aws.machines import LAUNCH_TEMPLATE, machines_of
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.placement import Reservation, reservation_of
from gpucluster.policies.rule import Finding, Stack
from gpucluster.policies.rules.reservation_in_use.outside import outside
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import at, text

FIX: Final = (
    "Target the reservation in the launch template (capacityReservationTarget), or list it in "
    "capacityReservationSelectorTerms of the EC2NodeClass and allow `reserved` in the pool; or release it."
)
READS: Final = (
    f"{MACHINES}, aws:ec2/capacityReservation:CapacityReservation, kubernetes:karpenter.sh/v1:NodePool, "
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
)

_RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
_INSTANCE: Final = "aws:ec2/instance:Instance"


def check(stack: Stack) -> Iterator[Finding]:
    for reservation in stack.resources.of_type(_RESERVATION):
        machine = text(reservation.inputs, "instanceType")
        if isinstance(machine, str):
            yield from _taken(reservation, machine, stack.resources)


def _taken(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its type."""
    pools = list(machine_pools(resources, machine))
    starters = [
        starter
        for type_ in (LAUNCH_TEMPLATE, _INSTANCE)
        for starter in resources.of_type(type_)
        if text(starter.inputs, "instanceType") == machine
    ]
    answers = {starter.name: _takes(starter, reservation, resources) for starter in starters}
    answers |= {pool.name: selects(node_class, reservation) for pool, node_class in pools}
    foreign = (of for of in machines_of(resources) if of.template is UNKNOWN and of.machine == machine)
    answers |= {of.name: None for of in foreign}
    answers = answers or {of.name: None for of in machines_of(resources) if of.hidden is not None}
    criteria = text(reservation.inputs, "instanceMatchCriteria") or "open"
    count = at(reservation.inputs, "instanceCount")
    held = machine if count is UNKNOWN or count is None else f"{count} x {machine}"
    yield from outside(reservation, machine, f"{held} reserved ({criteria})", answers)


def _takes(starter: Resource, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a template or instance uses the reservation; None if unknown before the update."""
    target = reservation_of(starter, resources)
    if isinstance(target, Reservation):
        if target.resource is not None:
            return target.resource.urn == reservation.urn
        if target.by_resource_group or target.id is UNKNOWN:
            return None
        return target.id == at(reservation.outputs, "id")
    preference = text(starter.inputs, "capacityReservationSpecification", "capacityReservationPreference")
    criteria = text(reservation.inputs, "instanceMatchCriteria")
    if UNKNOWN in (target, preference, criteria):
        return None
    # EC2 uses a matching open reservation, unless the launch excludes reservations.
    return criteria in (None, "open") and preference != "none"

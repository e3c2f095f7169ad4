"""A reservation is used by its intended machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, flag, text, whole
from gpucluster.policies.clouds.aws import placement as on_aws
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.aws.karpenter import machine_pools, selects
from gpucluster.policies.clouds.azure import placement as on_azure
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.azure.declared_pools import made_by_name
from gpucluster.policies.clouds.gcp import placement as on_gcp
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.gcp.declared_pools import GcpPool
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.clouds.pools import Machines
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ODCR: Final = "aws:ec2/capacityReservation:CapacityReservation"


def _aws(stack: Stack) -> Iterator[Finding]:
    for reservation in stack.resources.of_type(_ODCR):
        machine = text(reservation.inputs, "instanceType")
        if isinstance(machine, str):
            yield from _aws_reservation(reservation, machine, stack.resources)


def _aws_reservation(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its type."""
    pools = list(machine_pools(resources, machine))
    starters = [
        starter
        for starter in resources.of_type(aws.LAUNCH_TEMPLATE, aws.INSTANCE)
        if text(starter.inputs, "instanceType") == machine
    ]
    answers = {starter.name: _aws_uses(starter, reservation, resources) for starter in starters}
    answers |= {pool.name: selects(node_class, reservation) for pool, node_class in pools}
    foreign = (of for of in aws.machines_of(resources) if of.template is UNKNOWN and of.machine == machine)
    answers |= {of.name: None for of in foreign}
    criteria = text(reservation.inputs, "instanceMatchCriteria") or "open"
    reserved = f"{_held(at(reservation.inputs, 'instanceCount'), machine)} reserved ({criteria})"
    yield from _outside(reservation, machine, reserved, answers or _opaque(aws.machines_of(resources)))


def _aws_uses(starter: Resource, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a template or instance uses the reservation; None if unknown before the update."""
    target = on_aws.reservation_of(starter, resources)
    if isinstance(target, on_aws.Reservation):
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


_MACHINE: Final = ("specificReservation", "instanceProperties", "machineType")


def _gcp(stack: Stack) -> Iterator[Finding]:
    """A reservation is used by the node pools of its machine type.

    Google creates the reservations for a future capacity request, so only those declared in the stack are checked.
    """
    for reservation in stack.resources.of_type(on_gcp.RESERVATION):
        machine = text(reservation.inputs, *_MACHINE)
        if isinstance(machine, str):
            yield from _gcp_reservation(reservation, machine, stack.resources)


def _gcp_reservation(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its type."""
    pools = [pool for pool in gcp.every_pool(resources) if pool.machine == machine]
    answers = {pool.name: _gcp_uses(pool, reservation, resources) for pool in pools}
    reserved = f"{_held(whole(reservation.inputs, 'specificReservation', 'count'), machine)} reserved"
    yield from _outside(reservation, machine, reserved, answers or _opaque(gcp.machines_of(resources)))


def _gcp_uses(pool: GcpPool, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a pool uses the reservation; None if unknown before the update."""
    named = on_gcp.reservation_of(pool, resources)
    if isinstance(named, on_gcp.Reservation):
        return None if named.path is UNKNOWN and named.resource is None else named.resource is reservation
    kind = text(pool.inputs, "nodeConfig", "reservationAffinity", "consumeReservationType")
    required = flag(reservation.inputs, "specificReservationRequired")
    spot = flag(pool.inputs, "nodeConfig", "spot")
    if UNKNOWN in (kind, required, spot):
        return None
    # Compute Engine uses any matching reservation that need not be named, but never for spot machines.
    return required is not True and kind != "NO_RESERVATION" and spot is not True and not pool.flexible


_AZURE_RESERVATION: Final = "azure-native:compute:CapacityReservation"

_GROUP_NAME: Final = "capacityReservationGroupName"
_USER_ASSIGNED: Final = "UserAssigned"


def _azure(stack: Stack) -> Iterator[Finding]:
    """A capacity reservation is used by the node pools of its size, and the cluster is allowed to use it.

    Source: AKS page "Use capacity reservation groups": a pool names the group, and a cluster with a system-assigned
    identity can't use it.
    """
    resources = stack.resources
    for reservation in resources.of_type(_AZURE_RESERVATION):
        machine = text(reservation.inputs, "sku", "name")
        if isinstance(machine, str):
            yield from _azure_reservation(reservation, machine, resources)
    for pool in azure.machines_of(resources):
        yield from _permitted(pool, resources)


def _azure_reservation(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its size."""
    pools = [pool for pool in azure.machines_of(resources) if str(pool.machine).lower() == machine.lower()]
    answers = {pool.name: _azure_uses(pool, reservation, resources) for pool in pools}
    reserved = f"{_held(whole(reservation.inputs, 'sku', 'capacity'), machine)} reserved"
    yield from _outside(reservation, machine, reserved, answers or _opaque(azure.machines_of(resources)))


def _azure_uses(pool: azure.AgentPool, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a pool uses the reservation's group; None if unknown before the update."""
    named = on_azure.reservation_of(pool.declared, resources)
    if named is None:
        return False
    group = resources.referred(reservation, _GROUP_NAME, on_azure.RESERVATION_GROUP)
    group = group or made_by_name(
        resources, on_azure.RESERVATION_GROUP, at(reservation.inputs, _GROUP_NAME), _GROUP_NAME
    )
    if named.resource is not None and group is not None:
        return named.resource is group
    return None if named.id is UNKNOWN or group is None else False


def _permitted(pool: azure.AgentPool, resources: Resources) -> Iterator[Finding]:
    reservation = on_azure.reservation_of(pool.declared, resources)
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


def _held(count: object, machine: str) -> str:
    return machine if count is UNKNOWN or count is None else f"{count} x {machine}"


def _opaque(found: Iterable[Machines]) -> Mapping[str, None]:
    """Machines of an unknown type, which may be those of a reservation."""
    return {machines.name: None for machines in found if machines.hidden is not None}


def _outside(
    reservation: Resource, machine: str, reserved: str, answers: Mapping[str, bool | None]
) -> Iterator[Finding]:
    """Nothing if it is used, or if nothing starts its machine.

    reserved: its contents, as text. answers: name of the resource that starts the machine -> whether it uses the
    reservation; None if unknown before the update.
    """
    if True in answers.values() or not answers:
        return
    names = ", ".join(f"`{name}`" for name in answers)
    if None in answers.values():
        yield CannotTell(reservation, f"whether {names} uses the machines that it reserves is not known yet")
    else:
        yield Violation(reservation, f"{reserved}, and {names} starts {machine} outside of it")


RULE: Final = StackRule(
    name="reservation-in-use",
    title="Machines of the stack use the capacity reservation of their type",
    why="A reservation is billed whether used or not: machines that start outside of it cost a second time. Karpenter "
    "uses only reservations that its node class lists, even if they are open.",
    spec="placement",
    severity=Severity.HIGH,
    order=20,
    **per_cloud(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/capacityReservation:CapacityReservation, "
            "kubernetes:karpenter.sh/v1:NodePool, kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
            fix="Target the reservation in the launch template (capacityReservationTarget), or list it in "
            "capacityReservationSelectorTerms of the EC2NodeClass and allow `reserved` in the pool; or release it.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=f"{gcp.READS}, {on_gcp.RESERVATION}",
            fix="Set node_config.reservation_affinity of the node pool to the reservation (SPECIFIC_RESERVATION), or "
            "create the reservation with specific_reservation_required False; or release it.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=f"{azure.READS}, {_AZURE_RESERVATION}, {on_azure.RESERVATION_GROUP}",
            fix="Set capacity_reservation_group_id of the node pool to the reservation's group, or release the "
            "reservation.",
        ),
    ),
)

"""A placement and a reservation are compatible only if the reservation was created in that placement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import text
from gpucluster.policies.clouds.aws import placement as on_aws
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.azure import placement as on_azure
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import placement as on_gcp
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.gcp.declared_pools import GcpPool
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT


def _aws(stack: Stack) -> Iterator[Finding]:
    """A placement group and a reservation are compatible only if the reservation was created in the group."""
    resources = stack.resources
    for template in resources.of_type(aws.LAUNCH_TEMPLATE):
        group, reservation = on_aws.group_of(template, resources), on_aws.reservation_of(template, resources)
        yield from _both(template, group, reservation, resources)
    for machines in resources.of_type(aws.SCALING_GROUP, aws.INSTANCE):
        group, reservation = on_aws.own_group_of(machines, resources), on_aws.reservation_of(machines, resources)
        template = resources.referred(machines, "launchTemplate", aws.LAUNCH_TEMPLATE)
        if (group is not None or reservation is not None) and template is not None:
            group = on_aws.group_of(template, resources) if group is None else group
            reservation = on_aws.reservation_of(template, resources) if reservation is None else reservation
        yield from _both(machines, group, reservation, resources)


def _both(
    resource: Resource,
    group: on_aws.Group | Unknown | None,
    reservation: on_aws.Reservation | Unknown | None,
    resources: Resources,
) -> Iterator[Finding]:
    if group is None or reservation is None:
        return
    if isinstance(group, on_aws.Group) and isinstance(reservation, on_aws.Reservation):
        yield from _group_with_reservation(resource, group, reservation, resources)
    else:
        yield CannotTell(resource, "whether it has both a placement group and a reservation is not known yet")


def _group_with_reservation(
    template: Resource, group: on_aws.Group, reservation: on_aws.Reservation, resources: Resources
) -> Iterator[Finding]:
    both = f"{_named('placement group', group)} together with {_named('reservation', reservation)}"
    if reservation.resource is not None:
        made_in = _made_in(reservation.resource, group, resources)
        if made_in is None:
            yield CannotTell(template, f"{both}: the group of the reservation is not known yet")
        elif not made_in:
            yield Violation(template, f"{both}, which is not created in that group")
    elif group.resource is not None and isinstance(reservation.id, str) and not reservation.by_resource_group:
        yield Violation(template, f"{both}, which was created outside this stack, so not in a group of this stack")
    else:
        yield CannotTell(template, f"{both}: whether it was created in that group is unknown")


def _named(kind: str, thing: on_aws.Group | on_aws.Reservation) -> str:
    if thing.resource is not None:
        return f"{kind} `{thing.resource.name}`"
    name = thing.name if isinstance(thing, on_aws.Group) else thing.id
    return f"a {kind} whose name is not known yet" if name is UNKNOWN else f"{kind} `{name}`"


def _made_in(reservation: Resource, group: on_aws.Group, resources: Resources) -> bool | None:
    """Whether the reservation is created in the group, None if unknown before the update."""
    made_in = resources.referred(reservation, "placementGroupArn", on_aws.PLACEMENT_GROUP)
    if made_in is not None and group.resource is not None:
        return made_in.urn == group.resource.urn
    arn = text(reservation.inputs, "placementGroupArn")
    if arn is None:
        return False
    if arn is UNKNOWN or group.name is UNKNOWN:
        return None
    return arn.rpartition("/")[2] == group.name


def _gcp(stack: Stack) -> Iterator[Finding]:
    """A placement policy and a reservation are compatible only if the reservation was created with the policy.

    The provider has no argument for a reservation's policy, so reservations in this stack are created without one.
    """
    for pool in gcp.every_pool(stack.resources):
        yield from _policy_with_reservation(pool, stack.resources)


def _policy_with_reservation(pool: GcpPool, resources: Resources) -> Iterator[Finding]:
    policy, reservation = on_gcp.policy_of(pool, resources), on_gcp.reservation_of(pool, resources)
    if policy is None or reservation is None:
        return
    if not isinstance(policy, on_gcp.Policy) or not isinstance(reservation, on_gcp.Reservation):
        if isinstance(policy, on_gcp.Policy) or isinstance(reservation, on_gcp.Reservation):
            yield CannotTell(pool.resource, "whether it has both a placement policy and a reservation is not known yet")
        return
    both = f"{policy.label} together with {reservation.label}"
    if reservation.resource is not None:
        yield Violation(pool.resource, f"{both}, which is not created with that policy")
    elif policy.resource is not None or policy.name is None:
        yield Violation(pool.resource, f"{both}, which was created outside this stack, so not with that policy")
    else:
        yield CannotTell(pool.resource, f"{both}: whether it was created with that policy is unknown")


def _azure(stack: Stack) -> Iterator[Finding]:
    """A proximity placement group and a capacity reservation are never compatible.

    Source: Azure page "On-demand capacity reservation", section "Limitations and restrictions".
    """
    for pool in azure.machines_of(stack.resources):
        group = on_azure.proximity_of(pool.declared, stack.resources)
        reservation = on_azure.reservation_of(pool.declared, stack.resources)
        if group is None or reservation is None:
            continue
        both = f"{group.label} together with {reservation.label}"
        if _surely(group) and _surely(reservation):
            yield Violation(pool.resource, f"{both}, which Azure refuses")
        else:
            yield CannotTell(pool.resource, f"{both}: whether it has both is not known yet")


def _surely(placed: on_azure.Placed) -> bool:
    """An unknown id may turn out to be none, unless it is of a resource in this stack."""
    return placed.id is not UNKNOWN or placed.resource is not None


RULE: Final = StackRule(
    name="no-group-on-foreign-reservation",
    title="No placement group or policy is combined with a reservation created outside it",
    why="A reservation already has a placement: with another group the cloud reports no capacity, or starts only some "
    "of the machines you pay for.",
    spec="placement",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=70,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/placementGroup:PlacementGroup, "
            "aws:ec2/capacityReservation:CapacityReservation",
            fix="Remove placement.groupName from the launch template (the reservation is the co-location domain), or "
            "create the reservation in the group (placementGroupArn of the capacity reservation).",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=f"{gcp.READS}, gcp:compute/resourcePolicy:ResourcePolicy, gcp:compute/reservation:Reservation, "
            "gcp:compute/futureReservation:FutureReservation",
            fix="Remove placement_policy from the node pool (the reservation is the co-location domain), or set "
            "policy_name to the policy that the reservation was created with.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=f"{azure.READS}, azure-native:compute:ProximityPlacementGroup, "
            "azure-native:compute:CapacityReservationGroup",
            fix="Remove proximity_placement_group_id: the reservation already has a placement, and the scale set "
            "provides InfiniBand, not the group.",
        ),
        types=False,
        template=True,
    ),
)

"""A placement policy and a reservation are compatible only if the reservation was created with the policy.

The provider has no argument for a reservation's policy, so reservations in this stack are created without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.placement import Policy, Reservation, policy_of, reservation_of
from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import every_written
from gpucluster.policies.clouds.gcp.written import Written
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import Resources

FIX: Final = (
    "Remove placement_policy from the node pool (the reservation is the co-location domain), or set policy_name to "
    "the policy that the reservation was created with."
)
READS: Final = (
    f"{MACHINES}, gcp:compute/resourcePolicy:ResourcePolicy, gcp:compute/reservation:Reservation, "
    "gcp:compute/futureReservation:FutureReservation"
)


def check(stack: Stack) -> Iterator[Finding]:
    for pool in every_written(stack.resources):
        yield from _together(pool, stack.resources)


def _together(pool: Written, resources: Resources) -> Iterator[Finding]:
    policy, reservation = policy_of(pool, resources), reservation_of(pool, resources)
    if policy is None or reservation is None:
        return
    if not isinstance(policy, Policy) or not isinstance(reservation, Reservation):
        if isinstance(policy, Policy) or isinstance(reservation, Reservation):
            yield CannotTell(pool.resource, "whether it has both a placement policy and a reservation is not known yet")
        return
    both = f"{policy.label} together with {reservation.label}"
    if reservation.resource is not None:
        yield Violation(pool.resource, f"{both}, which is not created with that policy")
    elif policy.resource is not None or policy.name is None:
        yield Violation(pool.resource, f"{both}, which was created outside this stack, so not with that policy")
    else:
        yield CannotTell(pool.resource, f"{both}: whether it was created with that policy is unknown")

"""A proximity placement group and a capacity reservation are never compatible.

Source: Azure page "On-demand capacity reservation", section "Limitations and restrictions".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.placement import Placed, proximity_of, reservation_of
from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import machines_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN

FIX: Final = (
    "Remove proximity_placement_group_id: the reservation already has a placement, and the scale set provides "
    "InfiniBand, not the group."
)
READS: Final = (
    f"{MACHINES}, azure-native:compute:ProximityPlacementGroup, azure-native:compute:CapacityReservationGroup"
)


def check(stack: Stack) -> Iterator[Finding]:
    for pool in machines_of(stack.resources):
        group = proximity_of(pool.written, stack.resources)
        reservation = reservation_of(pool.written, stack.resources)
        if group is None or reservation is None:
            continue
        both = f"{group.label} together with {reservation.label}"
        if _surely(group) and _surely(reservation):
            yield Violation(pool.resource, f"{both}, which Azure refuses")
        else:
            yield CannotTell(pool.resource, f"{both}: whether it has both is not known yet")


def _surely(placed: Placed) -> bool:
    """An unknown id may turn out to be none, unless it is of a resource in this stack."""
    return placed.id is not UNKNOWN or placed.resource is not None

"""A reservation is used by the node pools of its machine type.

Google creates the reservations for a future capacity request, so only those declared in the stack are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.placement import RESERVATION, Reservation, reservation_of
from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import every_written, machines_of
from gpucluster.policies.clouds.gcp.written import Written
from gpucluster.policies.rule import Finding, Stack
from gpucluster.policies.rules.reservation_in_use.outside import outside
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import flag, text, whole

FIX: Final = (
    "Set node_config.reservation_affinity of the node pool to the reservation (SPECIFIC_RESERVATION), or create the "
    "reservation with specific_reservation_required False; or release it."
)
READS: Final = f"{MACHINES}, {RESERVATION}"

_MACHINE: Final = ("specificReservation", "instanceProperties", "machineType")


def check(stack: Stack) -> Iterator[Finding]:
    for reservation in stack.resources.of_type(RESERVATION):
        machine = text(reservation.inputs, *_MACHINE)
        if isinstance(machine, str):
            yield from _taken(reservation, machine, stack.resources)


def _taken(reservation: Resource, machine: str, resources: Resources) -> Iterator[Finding]:
    """Nothing if it is used, or if the stack starts no machine of its type."""
    pools = [pool for pool in every_written(resources) if pool.machine == machine]
    answers = {pool.name: _takes(pool, reservation, resources) for pool in pools}
    answers = answers or {of.name: None for of in machines_of(resources) if of.hidden is not None}
    count = whole(reservation.inputs, "specificReservation", "count")
    held = f"{count} x {machine}" if isinstance(count, int) else machine
    yield from outside(reservation, machine, f"{held} reserved", answers)


def _takes(pool: Written, reservation: Resource, resources: Resources) -> bool | None:
    """Whether a pool uses the reservation; None if unknown before the update."""
    named = reservation_of(pool, resources)
    if isinstance(named, Reservation):
        return None if named.path is UNKNOWN and named.resource is None else named.resource is reservation
    kind = text(pool.inputs, "nodeConfig", "reservationAffinity", "consumeReservationType")
    required = flag(reservation.inputs, "specificReservationRequired")
    spot = flag(pool.inputs, "nodeConfig", "spot")
    if UNKNOWN in (kind, required, spot):
        return None
    # Compute Engine uses any matching reservation that need not be named, but never for spot machines.
    return required is not True and kind != "NO_RESERVATION" and spot is not True and not pool.flexible

"""Reserved machines of a node pool.

Sources: Kubernetes Engine API, ReservationAffinity; GKE documentation, "Consume reserved zonal resources"; the errors
are those quoted in AI-Hypercomputer/xpk src/xpk/core/nodepool.py.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

_TYPES: Final = ("NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION", "ANY_RESERVATION_THEN_FAIL")
_KEY: Final = "compute.googleapis.com/reservation-name"
_VALUE: Final = re.compile(
    r"(projects/[^/]+/reservations/)?[a-z][-a-z0-9]*(/reservationBlocks/[^/]+(/reservationSubBlocks/[^/]+)?)?"
)


@rule(NODE_POOL)
def affinity_is_complete(managed: ManagedResource) -> None:
    """A specific reservation has the only supported key and one value; the other kinds have neither."""
    affinity = Pool(managed).affinity
    if not affinity:
        return
    kind, key, values = affinity.get("consumeReservationType"), affinity.get("key"), items(affinity.get("values"))
    if kind not in _TYPES:
        raise _refused(managed, f"consume_reservation_type {kind}; valid: {', '.join(_TYPES)}")
    if kind != "SPECIFIC_RESERVATION":
        if key or values:
            raise _refused(managed, f"{kind} takes no key and no values")
        return
    if key != _KEY:
        raise _refused(managed, f"key {key}; SPECIFIC_RESERVATION needs {_KEY}")
    if len(values) != 1:
        raise _refused(managed, f"{len(values)} values; SPECIFIC_RESERVATION needs the name of one reservation")
    if not _VALUE.fullmatch(str(values[0])):
        raise _refused(
            managed, f"value {values[0]}; a reservation is R, projects/P/reservations/R or one of its blocks"
        )


@rule(NODE_POOL)
def reserved_machines_are_the_ones_asked(managed: ManagedResource) -> None:
    """A reservation provides machines of its type, in its zone, with its maintenance.

    Reservations that the project got outside the sandbox are unknown here and not checked.
    """
    pool = Pool(managed)
    name = pool.reservation.split("/reservationBlocks/")[0].rsplit("/", 1)[-1]
    reservations = managed.others("gcp:compute/reservation:Reservation", name)
    found = next((entry for entry in reservations if name and entry.name == name), None)
    if found is None:
        return
    held = mapping(mapping(found.inputs.get("specificReservation")).get("instanceProperties"))
    if held.get("machineType") != pool.machine_type:
        raise _refused(managed, f"reservation {name} holds {held.get('machineType')}, not {pool.machine_type}")
    zone = str(found.inputs.get("zone")).rsplit("/", 1)[-1]
    if pool.zones != [zone]:
        raise _refused(managed, f"reservation {name} is in {zone}, the node pool in {', '.join(pool.zones)}")
    asked = mapping(pool.config.get("hostMaintenancePolicy")).get("maintenanceInterval")
    if asked == "PERIODIC" and held.get("maintenanceInterval") != "PERIODIC":
        message = f"The maintenance interval PERIODIC is incorrect for the requested resources of reservation {name}"
        raise refused(managed, message)


def _refused(managed: ManagedResource, what: str) -> Exception:
    return refused(managed, f"Invalid value for field 'resource.reservationAffinity': {what}", reason="invalid")

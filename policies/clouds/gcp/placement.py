"""Placement of a node pool: a compact placement policy, a reservation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, text
from gpucluster.policies.clouds.gcp.declared_pools import GcpPool, last, made_by_name

POLICY: Final = "gcp:compute/resourcePolicy:ResourcePolicy"
RESERVATION: Final = "gcp:compute/reservation:Reservation"
FUTURE_RESERVATION: Final = "gcp:compute/futureReservation:FutureReservation"

_BLOCK: Final = "/reservationBlocks/"


@dataclass(frozen=True)
class Policy:
    """A placement policy by the given name, None if GKE creates one; `resource` if it is in this stack."""

    name: str | Unknown | None
    resource: Resource | None

    @property
    def label(self) -> str:
        if self.resource is not None:
            return f"placement policy `{self.resource.name}`"
        if self.name is None:
            return "a compact placement policy of its own"
        return "a placement policy whose name is not known yet" if self.name is UNKNOWN else f"policy `{self.name}`"

    @property
    def collocated(self) -> bool | None:
        """Whether it co-locates machines; None if unknown before the update, or outside this stack."""
        if self.resource is None:
            return None
        inputs = self.resource.inputs
        kinds = text(inputs, "groupPlacementPolicy", "collocation"), text(inputs, "workloadPolicy", "type")
        return True if {*kinds} & {"COLLOCATED", "HIGH_THROUGHPUT"} else None if UNKNOWN in kinds else False


@dataclass(frozen=True)
class Reservation:
    """
    path: as the pool names it.
    block: whether it names one block of a reservation.
    resource: the reservation, or the request for a future one, if it is in this stack.
    """

    path: str | Unknown
    block: bool
    resource: Resource | None

    @property
    def label(self) -> str:
        if self.resource is not None:
            return f"reservation `{self.resource.name}`"
        if self.path is UNKNOWN:
            return "a reservation whose name is not known yet"
        return f"reservation `{last(self.path.partition(_BLOCK)[0])}`"


def policy_of(pool: GcpPool, resources: Resources) -> Policy | Unknown | None:
    """The compact placement policy of a pool; UNKNOWN if it is unknown whether it has one."""
    made = pool.referred(resources, "placementPolicy", POLICY)
    name = text(pool.inputs, "placementPolicy", "policyName")
    kind = text(pool.inputs, "placementPolicy", "type")
    if name is not None and (name is not UNKNOWN or made is not None or kind == "COMPACT"):
        return Policy(name, made or made_by_name(resources, POLICY, name))
    if name is UNKNOWN or kind is UNKNOWN:
        return UNKNOWN
    return Policy(None, None) if kind == "COMPACT" else None


def reservation_of(pool: GcpPool, resources: Resources) -> Reservation | Unknown | None:
    """The only reservation that a pool may use; UNKNOWN if it is unknown whether it has one."""
    kind = text(pool.inputs, "nodeConfig", "reservationAffinity", "consumeReservationType")
    if kind is UNKNOWN:
        return UNKNOWN
    if kind != "SPECIFIC_RESERVATION":
        return None
    path = at(pool.inputs, "nodeConfig", "reservationAffinity", "values", 0)
    made = (pool.referred(resources, "nodeConfig", type_) for type_ in (RESERVATION, FUTURE_RESERVATION))
    if not isinstance(path, str):
        return Reservation(UNKNOWN, block=False, resource=next((found for found in made if found), None))
    name = path.partition(_BLOCK)[0]
    named = (made_by_name(resources, type_, name) for type_ in (RESERVATION, FUTURE_RESERVATION))
    asked = (
        request
        for request in resources.of_type(FUTURE_RESERVATION)
        if text(request.inputs, "reservationName") == last(name)
    )
    return Reservation(path, _BLOCK in path, next((found for found in (*made, *named, *asked) if found), None))

"""Placement of a node pool: a proximity placement group, a capacity reservation group.

Neither makes machines share InfiniBand: only a scale set does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import text
from gpucluster.policies.clouds.azure.declared_pools import AzurePool, last, made_by_name

RESERVATION_GROUP: Final = "azure-native:compute:CapacityReservationGroup"

_PROXIMITY_GROUP: Final = "azure-native:compute:ProximityPlacementGroup"


@dataclass(frozen=True)
class Placed:
    """A group for placement; `resource` if it is in this stack."""

    what: str
    id: str | Unknown
    resource: Resource | None

    @property
    def label(self) -> str:
        if self.resource is not None:
            return f"{self.what} `{self.resource.name}`"
        return f"a {self.what} whose id is not known yet" if self.id is UNKNOWN else f"{self.what} `{last(self.id)}`"


def proximity_of(pool: AzurePool, resources: Resources) -> Placed | None:
    """The proximity placement group of a pool."""
    key, name = "proximityPlacementGroupID", "proximityPlacementGroupName"
    return _placed("proximity placement group", pool, resources, key, _PROXIMITY_GROUP, name)


def reservation_of(pool: AzurePool, resources: Resources) -> Placed | None:
    """The capacity reservation group of a pool."""
    key, name = "capacityReservationGroupID", "capacityReservationGroupName"
    return _placed("capacity reservation group", pool, resources, key, RESERVATION_GROUP, name)


def _placed(what: str, pool: AzurePool, resources: Resources, key: str, type_: str, name: str) -> Placed | None:
    """None if no id is given; an unknown id counts as given."""
    given = text(pool.inputs, key)
    if given is None:
        return None
    made = pool.referred(resources, key, type_) if given is UNKNOWN or pool.prop is None else None
    return Placed(what, given, made or made_by_name(resources, type_, given, name))

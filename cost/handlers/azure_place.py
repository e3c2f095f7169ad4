"""Where an Azure resource is: its location, else that of its owner, else the configuration's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
ACCOUNT: Final = "azure-native:storage:StorageAccount"
RESERVATION_GROUP: Final = "azure-native:compute:CapacityReservationGroup"

_OWNERS: Final = (
    ("resourceName", CLUSTER, "resourceName"),
    ("accountName", ACCOUNT, "accountName"),
    ("capacityReservationGroupName", RESERVATION_GROUP, "capacityReservationGroupName"),
    ("resourceGroupName", "azure-native:resources:ResourceGroup", "resourceGroupName"),
)
"""(input that names the owner of a resource, the owner's type, the owner's input with that name), the nearest first."""


def place_of(item: Pricing) -> str:
    """The region, as Azure's price list writes it: `eastus` for `East US`.

    A resource that says none is made where its resource group is. Raises CannotPrice when it is not known.
    """
    for resource in (item.resource, *_owners(item)):
        location = resource.inputs.get("location")
        if location is UNKNOWN:
            raise CannotPrice("its location is not known before the update")
        if isinstance(location, str) and location:
            return _plain(location)
    provider = item.resources.get(item.resource.provider)
    location = None if provider is None else provider.inputs.get("location")
    if isinstance(location, str) and location:
        return _plain(location)
    try:
        return _plain(item.region)
    except CannotPrice:
        fix = "set location on the resource, on its resource group, or azure-native:location in the configuration"
        raise CannotPrice(f"its region is not known: {fix}") from None


def region_of_zone(zone: str) -> str | None:
    """`eastus-1`, a zone as AKS labels its nodes, lies in eastus; a location as it is."""
    return _plain(zone.rsplit("-", 1)[0])


def owner_of(item: Pricing, type_: str) -> Resource | None:
    """The resource of the stack of this type that `ask` belongs to, by reference or by name."""
    for prop, of_type, named in _OWNERS:
        if of_type == type_:
            return _owner(item, prop, of_type, named)
    return None


def _owners(item: Pricing) -> Iterator[Resource]:
    for prop, type_, named in _OWNERS:
        found = _owner(item, prop, type_, named)
        if found is not None and found is not item.resource:
            yield found
            if type_ != _OWNERS[-1][1]:
                yield from _owners(item.of(found))


def _owner(item: Pricing, prop: str, type_: str, named: str) -> Resource | None:
    found = item.resources.referred(item.resource, prop, type_)
    if found is not None:
        return found
    name = item.resource.inputs.get(prop)
    if not isinstance(name, str):
        return None
    return next((entry for entry in item.resources.of_type(type_) if entry.inputs.get(named) == name), None)


def _plain(location: str) -> str:
    return location.replace(" ", "").lower()

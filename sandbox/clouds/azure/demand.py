"""The machines that node pools and capacity reservations request from Azure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.identity import location_of, with_same_id
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.events.quotas import ON_DEMAND, RESERVED, SPOT, Demand
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

_RESERVATION: Final = "azure-native:compute:CapacityReservation"

TYPES: Final = frozenset({AGENT_POOL, CLUSTER, _RESERVATION})


def demand(entry: Entry, ledger: Ledger) -> Iterator[Demand]:
    """The machines of one resource."""
    given = mapping(plain(entry.inputs))
    match entry.type:
        case str() if entry.type == AGENT_POOL:
            parent = entry.id.rsplit("/", 2)[0]
            around = with_same_id(ledger, parent, {CLUSTER})
            yield _pool(given, str(around.inputs.get("location") or "") if around is not None else "")
        case str() if entry.type == CLUSTER:
            for profile in items(given.get("agentPoolProfiles")):
                yield _pool(mapping(profile), str(given.get("location") or ""))
        case str() if entry.type == _RESERVATION:
            sku = mapping(given.get("sku"))
            count, region = int(sku.get("capacity") or 0), location_of(given.get("location"))
            zones = _zones(given.get("zones"))
            yield Demand(machine=str(sku.get("name") or ""), count=count, region=region, zones=zones)
        case _:
            return


def _zones(given: Any) -> tuple[str, ...]:
    """The zones that share the machines; `none`, as a scenario names it, for those that Azure places anywhere."""
    return tuple(map(str, items(given))) or ("none",)


def _pool(given: Mapping[str, Any], location: str) -> Demand:
    spot = given.get("scaleSetPriority") == "Spot"
    return Demand(
        machine=str(given.get("vmSize") or ""),
        count=int(given.get("count") or 0),
        region=location_of(location),
        zones=_zones(given.get("availabilityZones")),
        market=RESERVED if given.get("capacityReservationGroupID") else SPOT if spot else ON_DEMAND,
    )

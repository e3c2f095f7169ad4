"""The machines that node pools, instances and reservations request from Compute Engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.events.quotas import ON_DEMAND, RESERVED, SPOT, WAITING, Demand
from gpucluster.sandbox.clouds.gcp.identity import is_zone, region_of
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

_POOL: Final = "gcp:container/nodePool:NodePool"
_INSTANCE: Final = "gcp:compute/instance:Instance"
_RESERVATION: Final = "gcp:compute/reservation:Reservation"

TYPES: Final = frozenset({_POOL, _INSTANCE, _RESERVATION})


def demand(entry: Entry, ledger: Ledger) -> Iterator[Demand]:
    """The machines of one resource."""
    del ledger
    given = mapping(plain(entry.inputs))
    match entry.type:
        case str() if entry.type == _POOL:
            yield _pool(entry)
        case str() if entry.type == _INSTANCE:
            scheduling = mapping(given.get("scheduling"))
            market = SPOT if scheduling.get("provisioningModel") == "SPOT" else ON_DEMAND
            yield _in_zone(str(given.get("machineType") or ""), 1, str(entry.outputs.get("zone") or ""), market)
        case str() if entry.type == _RESERVATION:
            specific = mapping(given.get("specificReservation"))
            machine = str(mapping(specific.get("instanceProperties")).get("machineType") or "")
            yield _in_zone(machine, int(specific.get("count") or 0), str(given.get("zone") or ""), ON_DEMAND)
        case _:
            return


def _pool(entry: Entry) -> Demand:
    given = mapping(plain(entry.inputs))
    config, scaling = mapping(given.get("nodeConfig")), mapping(given.get("autoscaling"))
    location = str(entry.outputs.get("location") or given.get("location") or "")
    zones = tuple(str(zone) for zone in items(given.get("nodeLocations"))) or ((location,) if is_zone(location) else ())
    each = int(given.get("nodeCount") or given.get("initialNodeCount") or scaling.get("minNodeCount") or 0)
    count = int(scaling.get("totalMinNodeCount") or each * max(1, len(zones)))
    affinity = mapping(config.get("reservationAffinity")).get("consumeReservationType")
    if affinity not in (None, "", "NO_RESERVATION"):
        market = RESERVED
    elif config.get("flexStart") is True or mapping(given.get("queuedProvisioning")).get("enabled") is True:
        market = WAITING
    else:
        market = SPOT if config.get("spot") is True or config.get("preemptible") is True else ON_DEMAND
    region = region_of(zones[0] if zones else location)
    return Demand(machine=str(config.get("machineType") or ""), count=count, region=region, zones=zones, market=market)


def _in_zone(machine: str, count: int, zone: str, market: str) -> Demand:
    return Demand(machine=machine, count=count, region=region_of(zone), zones=(zone,), market=market)

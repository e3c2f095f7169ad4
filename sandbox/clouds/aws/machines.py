"""The machines that node groups, instances and reservations request from EC2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.events.quotas import ON_DEMAND, RESERVED, SPOT, Demand
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_INSTANCE: Final = "aws:ec2/instance:Instance"
_RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
_SUBNET: Final = "aws:ec2/subnet:Subnet"
_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"

TYPES: Final = frozenset({_NODE_GROUP, _INSTANCE, _RESERVATION})


def demand(entry: Entry, ledger: Ledger) -> Iterator[Demand]:
    """The machines of one resource; groups created by Karpenter are not resources of a stack."""
    given = mapping(plain(entry.inputs))
    match entry.type:
        case str() if entry.type == _NODE_GROUP:
            template = _template(entry, given, ledger)
            machine = template.get("instanceType") or next(iter(items(given.get("instanceTypes"))), "")
            count = int(mapping(given.get("scalingConfig")).get("desiredSize") or 0)
            market = {"SPOT": SPOT, "CAPACITY_BLOCK": RESERVED}.get(str(given.get("capacityType")), ON_DEMAND)
            market = RESERVED if _is_targeted(template) else market
            yield _demand(entry, str(machine), count, _zones(entry, items(given.get("subnetIds")), ledger), market)
        case str() if entry.type == _INSTANCE:
            options = mapping(given.get("instanceMarketOptions"))
            market = SPOT if options.get("marketType") == "spot" else RESERVED if _is_targeted(given) else ON_DEMAND
            zones = _zones(entry, [given.get("subnetId")], ledger) or _named(given.get("availabilityZone"))
            yield _demand(entry, str(given.get("instanceType") or ""), 1, zones, market)
        case str() if entry.type == _RESERVATION:
            machine, count = str(given.get("instanceType") or ""), int(given.get("instanceCount") or 0)
            yield _demand(entry, machine, count, _named(given.get("availabilityZone")), ON_DEMAND)
        case _:
            return


def _demand(entry: Entry, machine: str, count: int, zones: tuple[str, ...], market: str) -> Demand:
    return Demand(machine=machine, count=count, region=entry.scope, zones=zones, market=market)


def _template(entry: Entry, given: Mapping[str, Any], ledger: Ledger) -> Mapping[str, Any]:
    id_ = mapping(given.get("launchTemplate")).get("id")
    found = ledger.get(entry.provider, entry.scope, _TEMPLATE, id_) if isinstance(id_, str) else None
    return mapping(plain(found.inputs)) if found is not None else {}


def _zones(entry: Entry, subnets: list[Any], ledger: Ledger) -> tuple[str, ...]:
    found = (ledger.get(entry.provider, entry.scope, _SUBNET, id_) for id_ in subnets if isinstance(id_, str))
    return tuple(sorted({str(subnet.outputs.get("availabilityZone")) for subnet in found if subnet is not None}))


def _named(zone: Any) -> tuple[str, ...]:
    return (zone,) if isinstance(zone, str) and zone else ()


def _is_targeted(values: Mapping[str, Any]) -> bool:
    return bool(mapping(values.get("capacityReservationSpecification")).get("capacityReservationTarget"))

"""Machine types that a subscription can have in a region and in its zones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from azure.mgmt.compute.models import ResourceSku

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import same_region, text_of

# What a pool needs -> the capability of a type, and what lacks without it.
# Source: Azure documentation, "Resource SKUs - List" and the sizes of virtual machines (capabilities).
_CAPABILITIES: Final = {
    "rdma": ("RdmaEnabled", "no InfiniBand"),
    "spot": ("LowPriorityCapable", "not sold as spot"),
    "": ("EphemeralOSDiskSupported", "no ephemeral system disk"),
}


def machine_askers(clients: Clients) -> Mapping[str, Asker]:
    """One list of types for all questions."""

    def ask(asked: Sequence[Question]) -> list[Answer]:
        [region] = {one.place for one in asked}
        listed = clients.compute.resource_skus.list(filter=f"location eq '{region}'")
        found = {(sku.name or "").lower(): sku for sku in listed if sku.resource_type == "virtualMachines"}
        return [_ANSWERS[one.about](one, found.get(one.subject.lower())) for one in asked]

    return {
        "machine": ask,
        "reservable": ask,
        "aks-machine": lambda asked: [_known_to_aks(one) for one in asked],
    }


def _machine(question: Question, sku: ResourceSku | None) -> Answer:
    region, wanted = question.place, question.details.get("zones", "").split()
    command = f"az vm list-skus --location {region} --size {question.subject} --all --output table"
    if sku is None:
        fix = "choose another region or zone (gpucluster:region, gpucluster:zone), or another machine"
        return refused(question, "not offered in the region", fix, command, scenario=_none(question, wanted))
    if reason := _restriction(sku, region):
        fix = f"ask Microsoft's support for access to {question.subject} in {region}, or choose another region"
        found = f"not for this subscription ({reason})"
        return refused(question, found, fix, command, scenario=_none(question, wanted))
    zones = _zones(sku, region)
    if missing := [zone for zone in wanted if zone not in zones]:
        fix = _zone_fix(question, zones)
        return refused(question, _in(zones), fix, command, scenario=_none(question, missing))
    if lacks := _lacking(question, sku):
        return refused(question, ", ".join(lacks), "choose another machine", command)
    return fine(question, _in(zones))


def _in(zones: Sequence[str]) -> str:
    return f"in zone{'s' if len(zones) > 1 else ''} {', '.join(zones)}" if zones else "in no zone, for the region only"


def _zone_fix(question: Question, zones: Sequence[str]) -> str:
    if len(question.details["zones"].split()) > 1:
        return "choose another gpucluster:systemMachine, or another region"
    if not zones:
        return "write gpucluster:zone: none, or choose another region"
    return f'write gpucluster:zone: "{zones[0]}"' + (f", or one of {', '.join(zones[1:])}" if zones[1:] else "")


def _restriction(sku: ResourceSku, region: str) -> str:
    """Why the subscription can't have it in the whole region; empty if it can."""
    for one in sku.restrictions or []:
        info = one.restriction_info
        places = (info.locations if info is not None else None) or one.values_property or []
        if text_of(one.type) == "Location" and any(same_region(place, region) for place in places):
            return text_of(one.reason_code) or "no reason given"
    return ""


def _zones(sku: ResourceSku, region: str) -> list[str]:
    """Those in which the subscription can have it."""
    offered = {zone for one in sku.location_info or [] if same_region(one.location, region) for zone in one.zones or []}
    for one in sku.restrictions or []:
        if text_of(one.type) == "Zone" and one.restriction_info is not None:
            offered -= {*(one.restriction_info.zones or [])}
    return sorted(offered)


def _lacking(question: Question, sku: ResourceSku) -> list[str]:
    has = {one.name: one.value for one in sku.capabilities or []}
    return [
        lack
        for need, (name, lack) in _CAPABILITIES.items()
        if (not need or question.details.get(need)) and has.get(name) != "True"
    ]


def _reservable(question: Question, sku: ResourceSku | None) -> Answer:
    has = {} if sku is None else {one.name: one.value for one in sku.capabilities or []}
    can = has.get("CapacityReservationSupported")
    if can is None:
        return unknown(question, "Azure does not say whether reservations can hold it")
    kinds = has.get("SupportedCapacityReservationTypes")
    text = f"supported: {kinds}" if kinds else "supported"
    if can == "True":
        return fine(question, text)
    return refused(question, "not supported for this subscription", "ask Microsoft before you rely on the group")


def _known_to_aks(question: Question) -> Answer:
    first = question.subject.partition(" and ")[0]
    return unknown(
        question,
        "Microsoft's SDK has no list of what AKS knows, which may be less than Azure's",
        "compare; if AKS lists no zone, write gpucluster:zone: none",
        f"az aks list-vm-skus --location {question.place} --size {first} --all",
    )


_ANSWERS: Final = {"machine": _machine, "reservable": _reservable}


def _none(question: Question, zones: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    return {
        "capacity": [
            {
                "cloud": "azure",
                "region": question.place,
                "zone": zone,
                "machine": question.subject,
                "available": 0,
            }
            for zone in zones or ("none",)
        ]
    }

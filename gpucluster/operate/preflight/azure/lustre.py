"""Azure Managed Lustre: its tiers by zone, the addresses that a file system takes, a file system of the user."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Final

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.storagecache.models import RequiredAmlFilesystemSubnetsSizeInfo, ResourceSku, SkuName

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, Verdict, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import id_of, same_region, text_of
from gpucluster.operate.preflight.azure.subnets import RESERVED, subnet_of

_READY: Final = "Succeeded"


def lustre_askers(clients: Clients) -> Mapping[str, Asker]:
    return {
        "lustre-tier": lambda asked: _tiers(clients, asked),
        "lustre-subnet": lambda asked: [_room(clients, one) for one in asked],
        "file-system": lambda asked: [_file_system(clients, one) for one in asked],
    }


def _tiers(clients: Clients, asked: Sequence[Question]) -> list[Answer]:
    found = [sku for sku in clients.lustre.skus.list() if (sku.resource_type or "").lower() == "amlfilesystems"]
    return [_tier(one, found) for one in asked]


def _tier(question: Question, skus: Sequence[ResourceSku]) -> Answer:
    """Azure lists a tier once for each region."""
    region, zone = question.place, question.details["zone"]
    here = [
        sku
        for sku in skus
        if (sku.name or "").lower() == question.subject.lower()
        and any(same_region(place, region) for place in sku.locations or [])
    ]
    if not here:
        return refused(question, "not offered in the region", "choose another region, or storage.shared.kind: bucket")
    reasons = [text_of(one.reason_code) or "no reason given" for sku in here for one in sku.restrictions or []]
    if reasons:
        return refused(
            question, f"not for this subscription ({reasons[0]})", "ask Microsoft's support, or choose another region"
        )
    places = [one for sku in here for one in sku.location_info or [] if same_region(one.location, region)]
    zones = sorted({number for one in places for number in one.zones or []})
    if zone in zones:
        return fine(question, f"in zones {', '.join(zones)}")
    if not zones:
        return unknown(question, "Azure lists no zone for it in the region")
    fix = f'write gpucluster:zone: "{zones[0]}", or keep GPU nodes there and the files in a bucket'
    return refused(question, f"in zone{'s' if zones[1:] else ''} {', '.join(zones)}", fix)


def _room(clients: Clients, question: Question) -> Answer:
    """Azure computes how many addresses a file system needs; a subnet has five fewer than its range."""
    details = question.details
    asked = RequiredAmlFilesystemSubnetsSizeInfo(
        storage_capacity_ti_b=float(details["tib"]), sku=SkuName(name=details["sku"])
    )
    needed = clients.lustre.get_required_aml_fs_subnets_size(asked).filesystem_subnet_size
    if needed is None:
        return unknown(question, "Azure does not say how many addresses it needs")
    ranges = [details["cidr"]] if details["cidr"] else subnet_of(clients, details["subnet"]).ranges
    room = sum(ipaddress.IPv4Network(cidr).num_addresses - RESERVED for cidr in ranges)
    text = f"it needs {needed:,} addresses, and {', '.join(ranges)} has {room:,}"
    if needed <= room:
        return fine(question, text)
    fix = "write a wider network.ranges.network" if details["cidr"] else "use a wider subnet"
    return Answer(question=question, verdict=Verdict.STOPS, found=text, fix=fix)


def _file_system(clients: Clients, question: Question) -> Answer:
    found_id = id_of(question.subject)
    try:
        found = clients.of(found_id.subscription).lustre.aml_filesystems.get(found_id.group, found_id.name)
    except ResourceNotFoundError:
        return refused(question, "does not exist", "write the id of yours as storage.shared.existing.id")
    state = text_of(None if found.properties is None else found.properties.provisioning_state) or "without a state"
    if state != _READY:
        return refused(question, state, "wait until it is ready, or repair it")
    return fine(question, state)

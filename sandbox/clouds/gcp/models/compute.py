"""Machines, disks and reservations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, made, models, number
from gpucluster.sandbox.clouds.model import random_hex


@models("gcp:compute/disk:Disk", id="projects/{project}/zones/{zone}/disks/{name}")
def disk(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "diskId": managed.keep("diskId", number),
        "labelFingerprint": random_hex(12),
        "physicalBlockSizeBytes": managed.inputs.get("physicalBlockSizeBytes") or 4096,
    }


@models(
    "gcp:compute/instance:Instance",
    id="projects/{project}/zones/{zone}/instances/{name}",
    changing=("metadataFingerprint", "tagsFingerprint", "labelFingerprint"),
    defaults={"currentStatus": "RUNNING", "cpuPlatform": "Unknown CPU Platform"},
)
def instance(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "instanceId": managed.keep("instanceId", number),
        "labelFingerprint": random_hex(12),
        "metadataFingerprint": random_hex(12),
        "networkInterfaces": [
            {"networkIp": f"192.0.2.{at + 2}", "name": f"nic{at}", **mapping(given)}
            for at, given in enumerate(items(managed.inputs.get("networkInterfaces")))
        ],
        "tagsFingerprint": random_hex(12),
    }


@models("gcp:compute/reservation:Reservation", id="projects/{project}/zones/{zone}/reservations/{name}")
def reservation(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "zone": managed.zone,
        "kind": "compute#reservation",
        "shareSettings": managed.inputs.get("shareSettings") or {"shareType": "LOCAL"},
        "status": "READY",
    }


@models(
    "gcp:compute/futureReservation:FutureReservation",
    id="projects/{project}/zones/{zone}/futureReservations/{name}",
)
def future_reservation(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "zone": managed.zone, "planningStatus": managed.inputs.get("planningStatus") or "DRAFT"}

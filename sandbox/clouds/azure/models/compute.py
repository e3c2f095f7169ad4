"""Placement groups and capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import made

__all__: list[str] = []


@models("azure-native:compute:ProximityPlacementGroup")
def proximity_placement_group(thing: Thing) -> Mapping[str, Any]:
    kind = thing.inputs.get("proximityPlacementGroupType") or "Standard"
    return {**made(thing), "proximityPlacementGroupType": kind, "virtualMachineScaleSets": [], "virtualMachines": []}


@models("azure-native:compute:CapacityReservationGroup")
def capacity_reservation_group(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), "capacityReservations": [], "virtualMachinesAssociated": []}


@models("azure-native:compute:CapacityReservation")
def capacity_reservation(thing: Thing) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(thing),
        "provisioningTime": thing.keep("provisioningTime", lambda: now),
        "reservationId": thing.keep("reservationId", guid),
        "timeCreated": thing.keep("timeCreated", lambda: now),
        "virtualMachinesAssociated": [],
    }

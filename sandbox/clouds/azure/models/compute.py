"""Placement groups and capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import ManagedResource, models
from gpucluster.sandbox.clouds.azure.outputs import made


@models("azure-native:compute:ProximityPlacementGroup")
def proximity_placement_group(managed: ManagedResource) -> Mapping[str, Any]:
    kind = managed.inputs.get("proximityPlacementGroupType") or "Standard"
    return {**made(managed), "proximityPlacementGroupType": kind, "virtualMachineScaleSets": [], "virtualMachines": []}


@models("azure-native:compute:CapacityReservationGroup")
def capacity_reservation_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "capacityReservations": [], "virtualMachinesAssociated": []}


@models("azure-native:compute:CapacityReservation")
def capacity_reservation(managed: ManagedResource) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "provisioningTime": managed.keep("provisioningTime", lambda: now),
        "reservationId": managed.keep("reservationId", guid),
        "timeCreated": managed.keep("timeCreated", lambda: now),
        "virtualMachinesAssociated": [],
    }

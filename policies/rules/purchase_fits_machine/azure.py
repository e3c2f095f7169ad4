"""Purchase options of an AKS node pool: on demand, spot, from a reservation.

Sources: Azure page "On-demand capacity reservation" (2026-02-17), for machines that cannot be reserved or combined with
Spot; the SDK's own documentation of AgentPool, for inputs that only Spot accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.azure_sizes import size_of
from gpucluster.policies.clouds.azure.written import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, text

FIX: Final = (
    "Use Spot without a capacity reservation group; set scale_set_eviction_policy and spot_max_price only with "
    "scale_set_priority Spot."
)
READS: Final = (
    "azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster, "
    "azure-native:compute:CapacityReservation"
)

_RESERVATION: Final = "azure-native:compute:CapacityReservation"
_OF_SPOT: Final = ("scaleSetEvictionPolicy", "spotMaxPrice")


def check(resource: Resource) -> Iterator[Finding]:
    for pool in written_pools(resource):
        priority = text(pool.inputs, "scaleSetPriority")
        reserved = text(pool.inputs, "capacityReservationGroupID")
        if priority is UNKNOWN:
            if reserved is not None:
                yield CannotTell(resource, "whether it uses spot capacity is not known yet")
        elif problems := [*_problems(pool, priority, isinstance(reserved, str) or reserved is UNKNOWN)]:
            yield Violation(resource, "; ".join(problems))
    machine = text(resource.inputs, "sku", "name") if resource.type == _RESERVATION else None
    size = size_of(machine) if isinstance(machine, str) else None
    if size is not None and (size.series == "ND" or (size.series == "NC" and size.gpu == "H100")):
        yield CannotTell(
            resource,
            f"Azure's documentation lists no on-demand capacity reservations for {machine}; the Resource SKUs of the "
            "subscription show whether it supports them (CapacityReservationSupported)",
        )


def _problems(pool: Written, priority: str | None, reserved: bool) -> Iterator[str]:
    if priority == "Spot":
        if reserved:
            yield "Spot together with a capacity reservation group"
        return
    for name in _OF_SPOT:
        if at(pool.inputs, name) not in (None, UNKNOWN):
            yield f"{name} without scaleSetPriority Spot"

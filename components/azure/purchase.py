"""Requirements of each purchase option for a pool on Azure. Nothing here buys capacity. Imports no Pulumi.

Sources: Azure documentation, "On-demand capacity reservation" (2026-02-17) and "Set up InfiniBand on HPC VMs"
(2026-09-25); Azure compute API 2025-04-01, CapacityReservationGroup and ScheduleProfile; azure-aks-docs fb060abe6,
use-capacity-reservation-groups.md.
"""

from __future__ import annotations

import re

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.arm import RESERVATION_GROUP
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.settings import MOST_NODES
from gpucluster.components.flex_start import flex_start_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import (
    CapacityBlockPurchase,
    OnDemandPurchase,
    ReservationPlacement,
)
from gpucluster.components.training import blocks_problems, maintenance_problems

# Machines in one block, and its duration.
_BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)
_BLOCK_DAYS, _BLOCK_WEEKS = 14, (3, 26)


def purchase_problems(spec: TrainingSpec) -> list[Problem]:
    """Why these nodes can't be bought as the spec requests, in any subscription."""
    nodes = spec.training.size
    problems = [*flex_start_problems(spec, "Azure"), *blocks_problems(spec, "Azure"), *maintenance_problems(spec)]
    if isinstance(spec.placement, ReservationPlacement):
        if not re.fullmatch(RESERVATION_GROUP, spec.placement.id):
            problems.append(
                Problem(
                    "placement.id",
                    f"is {spec.placement.id!r}",
                    "on Azure write the id of a capacity reservation group, "
                    "/subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME",
                )
            )
        if spec.placement.group is not None:
            problems.append(
                Problem(
                    "placement.group",
                    "is set",
                    "on Azure capacity reservations and proximity placement groups exclude each other: remove it",
                )
            )
    if isinstance(spec.purchase, CapacityBlockPurchase):
        problems += _block_problems(nodes, spec.duration or 0)  # the spec of a block has one
    if nodes > MOST_NODES:
        problems.append(
            Problem(
                "training.nodes",
                f"and training.spares make {nodes} nodes",
                f"InfiniBand works within one scale set, which holds at most {MOST_NODES}: request fewer",
            )
        )
    return problems


def block_nodes(nodes: int) -> int:
    """Machines of the smallest capacity block for these nodes, at most 64."""
    return next(size for size in _BLOCK_SIZES if size >= nodes)


def _block_problems(nodes: int, hours: int) -> list[Problem]:
    problems: list[Problem] = []
    days = hours / 24
    first, last = _BLOCK_WEEKS
    if nodes > _BLOCK_SIZES[-1]:
        problems.append(
            Problem(
                "training.nodes",
                f"and training.spares make {nodes} nodes",
                f"one capacity block holds at most {_BLOCK_SIZES[-1]}: request fewer",
            )
        )
    if days > last * 7:
        problems.append(
            Problem(
                "purchase.kind",
                f"is 'capacity-block', on Azure for 1 to {_BLOCK_DAYS} days or {first} to {last} weeks, and "
                f"duration is {days:g} days",
                "shorten duration or choose on-demand",
            )
        )
    return problems


def scale_set_problems(spec: TrainingSpec, location: Location) -> list[Problem]:
    """Why the scale set of this subscription is too small, in the terms of the stack's configuration."""
    nodes, limit = spec.training.size, location.settings.scale_set_limit
    problems: list[Problem] = []
    if limit < nodes <= MOST_NODES:
        problems.append(
            Problem(
                "scaleSetLimit",
                f"is {limit}, and training.nodes and training.spares make {nodes} nodes in one scale set, the "
                "InfiniBand domain",
                f"ask Microsoft support to raise it and write the new limit, at most {MOST_NODES}, or request fewer "
                "nodes",
            )
        )
    if location.settings.proximity_group and isinstance(spec.placement, ReservationPlacement):
        problems.append(
            Problem(
                "proximityGroup",
                "is 'true', but placement.kind is 'reservation': Azure does not support proximity placement groups "
                "for reserved capacity",
                "remove it",
            )
        )
    return problems


def _where(location: Location) -> str:
    if location.number is None:
        return f"{location.region} without a zone"
    return f"zone {location.number} of {location.region}"


def purchase_notes(spec: TrainingSpec, shape: Machine, location: Location) -> list[str]:
    """Requirements that a plan can't check without access to the cloud."""
    nodes, machine = spec.training.size, shape.machine_type
    if not isinstance(spec.placement, ReservationPlacement):
        if not isinstance(spec.purchase, OnDemandPurchase):
            return []
        return [
            f"on demand does not guarantee capacity: if {location.zone} has no {nodes} x {machine}, the pool fails "
            "with AllocationFailed; quota is not capacity, and reserved instances and savings plans do not guarantee "
            "any"
        ]
    reserved = spec.placement.id
    notes = [
        f"{reserved} must hold {nodes} x {machine} in {_where(location)}: the plan does not "
        "check this; the cluster's identity gets Contributor on its resource group, which may take an hour",
        "if the group has no reservation for it, AKS creates the pool outside of it with only a warning, billed "
        "beside what you reserved: after `up`, az aks nodepool show must print the group as "
        "capacityReservationGroupId, also while the pool is empty",
    ]
    block = isinstance(spec.purchase, CapacityBlockPurchase)
    if has_infiniband(machine):
        known = (
            "whether that applies to capacity blocks is undocumented" if block else "ask Microsoft before you buy one"
        )
        notes.append(
            "Azure's documentation excludes scale sets with a single placement group from capacity reservations, but "
            f"InfiniBand needs one, which AKS sets automatically: {known}"
        )
    if not isinstance(spec.purchase, CapacityBlockPurchase):
        notes.append(
            "Azure's documentation calls on-demand capacity reservations unsupported for ND and NCads H100 v5; the "
            "Resource SKUs API (CapacityReservationSupported) shows what your subscription supports"
        )
        return notes
    size = block_nodes(nodes)
    idle = size - nodes
    unused = f": {idle} of them {'is' if idle == 1 else 'are'} paid for but unused" if idle else ""
    notes.append(
        f"{nodes} nodes need a block of {size} machines (blocks have {', '.join(map(str, _BLOCK_SIZES))}){unused}; a "
        f"block lasts 1 to {_BLOCK_DAYS} days or {_BLOCK_WEEKS[0]} to {_BLOCK_WEEKS[1]} weeks"
    )
    if not spec.purchase.active:
        notes.append(
            f"the training pool has 0 nodes until {reserved} starts: then set purchase.active: true, run `pulumi up`"
        )
    return notes

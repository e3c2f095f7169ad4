"""The training pool on Azure as plain values: one scale set of nodes, its purchase and fabric. Imports no Pulumi.

Sources: Azure documentation, "On-demand capacity reservation" (2026-02-17) and "Set up InfiniBand on HPC VMs"
(2026-09-25); Azure compute API 2025-04-01, CapacityReservationGroup and ScheduleProfile; azure-aks-docs fb060abe6,
use-capacity-reservation-groups.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucluster.components.azure.arm import RESERVATION_GROUP
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.pools import MigPlan
from gpucluster.components.azure.planning.quotas import add_machines
from gpucluster.components.azure.planning.rights import ASSIGN, rights_question
from gpucluster.components.azure.settings import FEATURE, FEATURE_NAMESPACE, MOST_NODES, TORSET
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.elastic import ElasticMachines, refuse_flex_start
from gpucluster.components.shared.training import (
    TrainingNodes,
    is_active,
    refuse_blocks,
    refuse_maintenance,
    report_fabric,
    report_gpus,
    report_roll,
)
from gpucluster.components.spec.cluster import TrainingSpec
from gpucluster.components.spec.pools import CapacityBlockPurchase, OnDemandPurchase, Placement, ReservationPlacement
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.questions import Question

# Machines in one block, and its duration.
_BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)
_BLOCK_DAYS, _BLOCK_WEEKS = 14, (3, 26)


@dataclass(frozen=True, kw_only=True)
class PlacementPlan:
    """One scale set is one InfiniBand domain, regardless of these fields.

    reservation: id of a capacity reservation group, which is in the resource group with id `reserved_in`.
    proximity_group: created for the pool.
    """

    reservation: str | None = None
    reserved_in: str | None = None
    proximity_group: bool = False


@dataclass(frozen=True, kw_only=True)
class TrainingPlan(TrainingNodes):
    """root_gib: on the machine's own disk of 1,024 GiB. block_nodes: machines of the capacity block, if any."""

    placement: PlacementPlan
    root_gib: int = 1_000
    block_nodes: int | None = None

    @property
    def co_location(self) -> str:
        """The co-location of the nodes, as text."""
        if self.size == 1:
            return "none, a single node"
        where = f", in {self.placement.reservation}" if self.placement.reservation else ""
        return f"one scale set, a non-blocking InfiniBand domain{where}"


def plan_training(spec: TrainingSpec, shape: Machine, planning: Planning[Location]) -> TrainingPlan:
    """The training pool of a spec. shape: of its machines."""
    training, purchase = spec.training, spec.purchase
    block = isinstance(purchase, CapacityBlockPurchase)
    refuse_flex_start("Azure", planning, purchase=purchase)
    if block:
        _refuse_block(training.size, spec.duration or 0, planning)  # the spec of a block has one
    _refuse_size(training.size, planning)
    report_fabric(training, shape, planning)
    report_gpus(shape, planning)
    report_roll(training.roll, planning)
    plan = TrainingPlan(
        shape=shape,
        nodes=training.nodes,
        spares=training.spares,
        active=is_active(purchase),
        roll=training.roll,
        placement=_plan_placement(spec.placement, planning),
        root_gib=min(TrainingPlan.root_gib, shape.nvme_gb // 2),
        block_nodes=_block_nodes(training.size) if block else None,
    )
    if not block:
        add_machines(planning, shape.quota, shape.vcpus * plan.size)
    if isinstance(spec.placement, ReservationPlacement):
        _report_reservation(plan, spec.placement.id, planning)
    elif isinstance(purchase, OnDemandPurchase):
        planning.notes.append(
            f"on demand does not guarantee capacity: if {planning.location.zone} has no {plan.size} x "
            f"{shape.machine_type}, the pool fails with AllocationFailed; quota is not capacity, and reserved "
            "instances and savings plans do not guarantee any"
        )
    return plan


def _plan_placement(placement: Placement, planning: Planning[Location]) -> PlacementPlan:
    proximity_group = planning.location.settings.proximity_group
    refuse_blocks(placement, "Azure", planning)
    refuse_maintenance(placement, planning)
    if not isinstance(placement, ReservationPlacement):
        return PlacementPlan(proximity_group=proximity_group)
    reserved = re.fullmatch(RESERVATION_GROUP, placement.id)
    if reserved is None:
        planning.refuse(
            "placement.id",
            f"is {placement.id!r}",
            "on Azure write the id of a capacity reservation group, "
            "/subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME",
        )
    if placement.group is not None:
        fix = "on Azure capacity reservations and proximity placement groups exclude each other: remove it"
        planning.refuse("placement.group", "is set", fix)
    if proximity_group:
        planning.refuse_place(
            "proximityGroup",
            "is 'true', but placement.kind is 'reservation': Azure does not support proximity placement groups for "
            "reserved capacity",
            "remove it",
        )
    return PlacementPlan(
        reservation=reserved[0] if reserved else None,
        reserved_in=reserved["group"] if reserved else None,
        proximity_group=proximity_group,
    )


def _block_nodes(nodes: int) -> int:
    """Machines of the smallest capacity block for these nodes, at most 64."""
    return next((size for size in _BLOCK_SIZES if size >= nodes), _BLOCK_SIZES[-1])


def _refuse_block(nodes: int, hours: int, planning: Planning[Location]) -> None:
    days, (first, last) = hours / 24, _BLOCK_WEEKS
    if nodes > _BLOCK_SIZES[-1]:
        fix = f"one capacity block holds at most {_BLOCK_SIZES[-1]}: request fewer"
        planning.refuse("training.nodes", f"and training.spares make {nodes} nodes", fix)
    if days > last * 7:
        planning.refuse(
            "purchase.kind",
            f"is 'capacity-block', on Azure for 1 to {_BLOCK_DAYS} days or {first} to {last} weeks, and duration is "
            f"{days:g} days",
            "shorten duration or choose on-demand",
        )


def _refuse_size(nodes: int, planning: Planning[Location]) -> None:
    limit = planning.location.settings.scale_set_limit
    if nodes > MOST_NODES:
        fix = f"InfiniBand works within one scale set, which holds at most {MOST_NODES}: request fewer"
        planning.refuse("training.nodes", f"and training.spares make {nodes} nodes", fix)
    elif nodes > limit:
        planning.refuse_place(
            "scaleSetLimit",
            f"is {limit}, and training.nodes and training.spares make {nodes} nodes in one scale set, the InfiniBand "
            "domain",
            f"ask Microsoft support to raise it and write the new limit, at most {MOST_NODES}, or request fewer nodes",
        )


def _report_reservation(plan: TrainingPlan, reserved: str, planning: Planning[Location]) -> None:
    """Requirements that a plan can't check without access to the cloud. reserved: id of the reservation group."""
    nodes, machine, location = plan.size, plan.shape.machine_type, planning.location
    zone = "without a zone" if location.number is None else ""
    where = f"{location.region} {zone}" if zone else f"zone {location.number} of {location.region}"
    note = (
        f"{reserved} must hold {nodes} x {machine} in {where}: the plan does not check this; the cluster's identity "
        "gets Contributor on its resource group, which may take an hour"
    )
    planning.ask(
        Question(
            about="reservation",
            subject=reserved,
            needed=nodes,
            unit=f"x {machine}",
            place=where,
            title="capacity reservation group",
            details={
                "machine": machine,
                "region": location.region,
                "zone": location.number or "",
                "block": "" if plan.block_nodes is None else "yes",
                "subscription": location.subscription,
            },
            note=note,
        ),
        Question(
            about="reservable",
            subject=machine,
            needed="in capacity reservations",
            place=location.region,
            decides=False,
        ),
    )
    if plan.placement.reserved_in is not None:
        planning.ask(rights_question("assign roles for the reservation", plan.placement.reserved_in, ASSIGN))
    planning.notes.append(
        "if the group has no reservation for it, AKS creates the pool outside of it with only a warning, billed "
        "beside what you reserved: after `up`, az aks nodepool show must print the group as "
        "capacityReservationGroupId, also while the pool is empty"
    )
    size = plan.block_nodes
    if has_infiniband(machine):
        known = (
            "ask Microsoft before you buy one"
            if size is None
            else "whether that applies to capacity blocks is undocumented"
        )
        planning.notes.append(
            "Azure's documentation excludes scale sets with a single placement group from capacity reservations, but "
            f"InfiniBand needs one, which AKS sets automatically: {known}"
        )
    if size is None:
        planning.notes.append(
            "Azure's documentation calls on-demand capacity reservations unsupported for ND and NCads H100 v5; the "
            "Resource SKUs API (CapacityReservationSupported) shows what your subscription supports"
        )
        return
    idle = size - nodes
    unused = f": {idle} of them {'is' if idle == 1 else 'are'} paid for but unused" if idle else ""
    planning.notes.append(
        f"{nodes} nodes need a block of {size} machines (blocks have {', '.join(map(str, _BLOCK_SIZES))}){unused}; a "
        f"block lasts 1 to {_BLOCK_DAYS} days or {_BLOCK_WEEKS[0]} to {_BLOCK_WEEKS[1]} weeks"
    )
    if not plan.active:
        planning.notes.append(
            f"the training pool has 0 nodes until {reserved} starts: then set purchase.active: true, run `pulumi up`"
        )


def report_infiniband(machine_type: str, nodes: int, planning: Planning[Location]) -> None:
    """Notes on the training pool. nodes: that jobs can use.

    GB200 and GB300: Azure/ai-infrastructure-on-azure a01b073, infrastructure_references/aks/README.md.
    """
    if not has_infiniband(machine_type):
        return
    planning.notes.append(
        "InfiniBand without SHARP (reductions in the switches): jobs use NCCL's rings and trees, and figures "
        "published with SHARP, 450 GB/s at 16 GiB, are not promised (docs/run/jobs.md)"
    )
    settings = planning.location.settings
    apart = "GB200 and GB300 pools in the same subscription need it disabled"
    if settings.infiniband_feature == "waived":
        planning.notes.append(
            f"{FEATURE} is waived and not checked: without it nodes may be on several InfiniBand networks; {apart}"
        )
    else:
        planning.ask(
            Question(
                about="feature",
                subject=f"{FEATURE_NAMESPACE}/{FEATURE}",
                needed="Registered",
                note=f"the subscription must have the feature {FEATURE}, or `up` fails before it creates anything "
                f"expensive: run az feature register --namespace {FEATURE_NAMESPACE} --name {FEATURE} once and wait "
                f"for Registered; {apart}",
            )
        )
    if nodes == 1:
        return
    labelers = "Microsoft's labelers (Azure/ai-infrastructure-on-azure, utilities/aks)"
    planning.notes.append(
        f"queue: Kueue places pods of a job under one leaf switch by the label {TORSET}, which AKS does not set: run "
        f"{labelers} after `up` and for every new node; a node without the label gets no jobs"
        if settings.torsets
        else f"queue: AKS sets no leaf-switch labels; if {labelers} set {TORSET} on all training nodes, write "
        'gpucluster:torsets: "true"'
    )


def report_drivers(machine_type: str, planning: Planning[Location], *others: ElasticMachines | MigPlan | None) -> None:
    """machine_type: of the training pool. others: the other pools.

    Sources: Azure/AKS issue 3507; NVIDIA/gpu-operator v26.3.3, assets/state-driver/0500_daemonset.yaml;
    NVIDIA/gpu-driver-container, nvidia-driver (reload_nvidia_peermem, probe_nvidia_peermem).
    """
    fabric = has_infiniband(machine_type)
    if planning.location.settings.driver == "aks":
        if fabric:
            planning.notes.append(
                "AKS owns the GPU driver: nothing loads nvidia-peermem, without which GPUDirect RDMA may be slow; "
                "measure NCCL between nodes before training"
            )
        return
    planning.notes.append(
        "the operators own GPU and InfiniBand drivers: AKS's own GPU and link checks of nodes do not run"
    )
    found = {pool.shape.machine_type for pool in others if pool is not None}
    single = sorted(machine for machine in found if not has_infiniband(machine))
    if fabric and single:
        planning.notes.append(
            f"{' and '.join(single)} without InfiniBand: the driver container nvidia-peermem-ctr finds no cards there "
            "and may restart every 20 minutes, with ClusterPolicy notReady; GPUs and slices work "
            "(docs/reference/inside-aks.md)"
        )

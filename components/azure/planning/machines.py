"""Machines on Azure: the choice for training, the zones that have them, the CPU nodes, and signs of a broken node.
Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.azure.location import NO_ZONE, Location
from gpucluster.components.azure.planning.quotas import add_machines
from gpucluster.components.azure.settings import SYSTEM_MACHINES, ZONES
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.machine_choice import plan_machine, shapes_with
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.core.catalog.machines import Machine, cpu_machines
from gpucluster.core.program.questions import Question

CLOUD = "azure"


def plan_training_machine(accelerator: str, training: Training, planning: Planning[Location]) -> Machine:
    """See `plan_machine`. Machines for training are those with InfiniBand, and for a single node also the others."""
    rows = {row.machine_type: row for row in shapes_with(CLOUD, accelerator)}
    fitting = {name: row for name, row in rows.items() if training.size == 1 or has_infiniband(name)}
    why = ", which has no InfiniBand (no r in its name): it is for single nodes, sliced GPUs and the elastic pools"
    return plan_machine(CLOUD, accelerator, training, fitting, planning, why=why if planning.machine in rows else "")


def report_zones(pools: Mapping[str, Machine], planning: Planning[Location], *, spot: Sequence[str] = ()) -> None:
    """Where machines are available. pools: name -> machine. spot: types that some pool buys as spot.

    Only price lists give the regions that have a machine; no list names zones, which differ by subscription, and AKS
    may know fewer than Azure's compute API. Source: azure-aks-docs fb060abe6,
    reliability-availability-zones-configure.md.
    """
    location, prices = planning.location, planning.prices
    region = location.region
    named: dict[str, list[str]] = {}
    for pool, shape in pools.items():
        named.setdefault(shape.machine_type, []).append(pool)
    unknown = [
        machine
        for machine in named
        if prices is not None and prices.machine_usd(CLOUD, region, machine, "on-demand") is None
    ]
    listed = [machine for machine in named if machine not in unknown]
    in_zone = (
        f"all GPU nodes are in zone {location.number}: the zones of {region} with {', '.join(listed)} depend on "
        f"your subscription: az aks list-vm-skus --location {region} --size {listed[0]} --all; if AKS lists none, "
        f"write gpucluster:zone: {NO_ZONE}"
        if location.number is not None and listed
        else ""
    )
    for machine in (*unknown, *listed):
        pool = " and ".join(named[machine])
        missing = f"{pool}: no price list has {machine} in {region}: whether it is available there is unknown"
        note = missing if machine in unknown else in_zone
        zones = location.zones or ()
        planning.ask(_offer(machine, region, zones, pool=pool, spot=machine in spot, note=note))
    if location.number is not None:
        planning.ask(
            Question(
                about="aks-machine",
                subject=" and ".join(named),
                needed=f"zone {location.number}",
                place=region,
                title="AKS's own list of machines",
                decides=False,
            )
        )


def _offer(
    machine: str, region: str, zones: Sequence[str], *, pool: str, spot: bool = False, note: str = ""
) -> Question:
    """pool: that has it, as text. spot: some of them are bought as spot."""
    plural = "s" if len(zones) > 1 else ""
    needs = {"rdma": has_infiniband(machine), "spot": spot}
    return Question(
        about="machine",
        subject=machine,
        needed=f"zone{plural} {', '.join(zones)}" if zones else "region",
        place=region,
        title=pool,
        details={"zones": " ".join(zones), **{name: "needed" for name, need in needs.items() if need}},
        note=note,
    )


def report_no_zone(planning: Planning[Location]) -> None:
    """What a cluster without a zone lacks.

    Sources: azure-aks-docs fb060abe6, reliability-availability-zones-configure.md ("Regional node pools") and
    free-standard-pricing-tiers.md.
    """
    location = planning.location
    if location.number is not None:
        return
    planning.losses.append(
        f"zone {NO_ZONE}: the training pool is one scale set with one InfiniBand network, but nothing keeps it, its "
        "storage, the NAT gateway and other pools in the same zone"
        if location.zonal
        else f"{location.region} has no availability zones: an outage of its data center ends all system nodes, and "
        "AKS promises 99.9 % for the API server, not 99.95 %"
    )


# Number of nodes from which a cluster is large, and the machine for it; three nodes of 8 vCPUs are the recommended
# minimum with several add-ons.
# Sources: AKS documentation, "Best practices for performance and scaling for large workloads" and "Use system node
# pools" (fb060abe6, 2026-08).
_LARGE: Final = 100
_MACHINE: Final = "Standard_D8ds_v5"
_LARGE_MACHINE: Final = "Standard_D16ds_v5"


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """zones: over which the nodes are spread, one in each; none in a region without zones. root_gib: fits on the
    smallest machine's own 150 GiB.
    """

    machine_type: str = _MACHINE
    nodes: int = 3
    root_gib: int = 128
    zones: tuple[str, ...] = ()


def plan_system(nodes: int, planning: Planning[Location]) -> SystemPlan:
    """nodes: maximum number of all other nodes."""
    location = planning.location
    chosen = location.settings.system_machine or (_LARGE_MACHINE if nodes >= _LARGE else _MACHINE)
    plan = SystemPlan(machine_type=chosen, zones=ZONES if location.zonal else ())
    # With those of one surge node for upgrades.
    vcpus = cpu_machines()[chosen].vcpus * (plan.nodes + 1)
    add_machines(planning, SYSTEM_MACHINES[chosen], vcpus)
    planning.ask(_offer(chosen, location.region, plan.zones, pool="system nodes"))
    return plan


BLOCK_CLASSES: Final = ("default", "managed-csi", "managed-csi-premium")
"""Storage classes of managed disks that AKS installs. Sources: AKS documentation, "Storage options for applications",
storage classes; public outputs of `kubectl get sc` of AKS clusters, as of 2026-11-28, list the three names.
"""

CONDITIONS: Final[Sequence[Mapping[str, Any]]] = tuple(
    {"type": kind, "status": "True"} for kind in ("GPUMissing", "IBLinkFlapping", "NVLinkStatusInactive", "XIDErrors")
)
"""Of AKS' node problem detector. It checks GPUs and links only of pools whose driver AKS owns; for others, the number
of working devices in the operators' device plugins is the only information. AKS repairs no node for these conditions.

Source: MicrosoftDocs/azure-aks-docs 35ef8f3d, gpu-health-monitoring.md and node-problem-detector.md.
"""
PEERMEM: Final = "gpucluster/peermem"
"""Label of a node on which the module for GPUDirect RDMA is loaded; Node Feature Discovery sets it
(`gpu_software.py`). A driver pod that restarts can't load a module that was lost meanwhile, until the node reboots
(NVIDIA/gpu-operator #2619). Jobs run on: NCCL uses DMA-BUF if it can (Azure/AKS PR 5975).
"""
LABELS: Final[Mapping[str, str]] = {PEERMEM: "nvidia_peermem has not been loaded"}
REPAIR: Final = "its machine stays until someone deletes and reports it"

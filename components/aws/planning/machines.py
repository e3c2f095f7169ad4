"""Machines on AWS: the choice for training, where they are sold, the CPU nodes, and signs of a broken node. Imports no
Pulumi.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.aws.location import Location, is_zone_id
from gpucluster.components.aws.planning.quotas import STANDARD
from gpucluster.components.kubernetes.node_health.plan import MEMORY_REMAPPED, PROGRAM_MISTAKES
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared import machine_choice
from gpucluster.components.shared.machine_choice import shapes_with
from gpucluster.components.shared.training import report_fabric, report_gpus
from gpucluster.components.spec.cluster import TrainingSpec
from gpucluster.core.catalog.aws_regions import aws_regions, region_of_zone, sold_in
from gpucluster.core.catalog.machines import Machine, zones_of
from gpucluster.core.program.questions import Question


def plan_machine(spec: TrainingSpec, planning: Planning[Location]) -> Machine:
    """The machine of the training nodes. A reservation by itself proves that the zone has it."""
    fitting = {row.machine_type: row for row in shapes_with("aws", spec.accelerator)}
    shape = machine_choice.plan_machine("aws", spec.accelerator, spec.training, fitting, planning)
    report_fabric(spec.training, shape, planning)
    report_gpus(shape, planning)
    if planning.machine is None or planning.machine in fitting:
        check_sale(shape, "the training pool", planning, reserved=spec.placement.kind in ("reservation", "blocks"))
    return shape


def check_sale(
    shape: Machine, pool: str, planning: Planning[Location], *, reserved: bool = False, later: bool = False
) -> None:
    """Whether the machines of a pool are sold in region and zone. pool: its name in prose. reserved: the zone is known
    to have them. later: the pool has no nodes at first.
    """
    name, place = shape.machine_type, planning.location
    region, zones = aws_regions()[place.region], sold_in(name, place.region)
    unknown = f"whether {name} for {pool} is available in"
    missing = f"where {name} for {pool} is not available (list of {region.offerings})"
    note = ""
    if zones is None:
        note = f"{unknown} {place.region} is unknown: no list of its machines is known"
    elif not zones:
        others = ", ".join(dict.fromkeys(found for zone in zones_of(name) if (found := region_of_zone(zone))))
        planning.refuse_place("region", f"is {region.name!r}, {missing}", f"it is available in {others}")
    elif place.region in zones:
        note = f"the zones of {place.region} with {name} for {pool} are unknown: the list has the region only"
    elif not set(place.zone_ids) <= set(zones):
        sold = f"in {place.region} it is available in {', '.join(zones)}"
        if is_zone_id(place.zone) and place.local_zone is None and not reserved:
            planning.refuse_place("zone", f"is {place.zone!r}, {missing}", sold)
        note = f"{unknown} {place.zone} is unknown: {sold}"
    # EC2's offers are what can be bought, not what a reservation or a block holds.
    planning.ask(offer_question(name, pool, place.zone, note=note, decides=not reserved and not later))


def offer_question(machine: str, pool: str, zone: str, *, note: str = "", decides: bool = True) -> Question:
    """Whether EC2 offers a machine in a zone. pool: that needs it, in prose."""
    return Question(
        about="offer",
        subject=machine,
        needed="offered",
        place=zone,
        title="machine",
        details={"pool": pool},
        note=note,
        decides=decides,
    )


# Karpenter's two replicas need two hosts. GoogleCloudPlatform/cluster-toolkit has a system pool of 2 to 10; one node
# for this many GPU nodes is the maximum growth of a cluster on Google Cloud.
_LEAST: Final = 2
_MOST: Final = 10
_GPU_NODES: Final = 32


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for CoreDNS, whose replicas EKS scales with the cluster, Karpenter and operators. vcpus: of each.

    Source of the vCPUs: Amazon EC2 instance types guide, gp (m7i).
    """

    machine_type: str = "m7i.xlarge"
    vcpus: int = 4
    nodes: int = _LEAST
    root_gib: int = 100


def plan_system(gpu_nodes: int, planning: Planning[Location]) -> SystemPlan:
    """gpu_nodes: maximum of the whole cluster."""
    plan = SystemPlan(nodes=min(max(math.ceil(gpu_nodes / _GPU_NODES), _LEAST), _MOST))
    planning.quotas[STANDARD] += plan.nodes * plan.vcpus
    planning.ask(
        *(offer_question(plan.machine_type, "the system nodes", zone) for zone in planning.location.cluster_zones)
    )
    return plan


HARDWARE: Final = "AcceleratedHardwareReady"
HARMLESS_REASONS: Final = tuple(f"NvidiaXID{code}Error" for code in (*PROGRAM_MISTAKES, MEMORY_REMAPPED))
"""Its reasons that do not justify removing a node."""

# DCGM's findings alone do not mean a broken machine: EKS does not repair nodes for them either.
CONDITIONS: Final[Sequence[Mapping[str, Any]]] = (
    {"type": HARDWARE, "status": "False", "but": [*HARMLESS_REASONS, "DCGM"]},
    *({"type": f"{part}Ready", "status": "False"} for part in ("ContainerRuntime", "Kernel", "Networking", "Storage")),
)
"""Of EKS' node monitoring agent. Source: Amazon EKS user guide dbc0b729, node-health-nma and node-repair."""
REPAIR: Final = "EKS reboots or replaces it after 10 to 30 minutes"

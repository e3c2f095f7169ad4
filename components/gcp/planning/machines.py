"""Machines on Google Cloud: types of GPU pools, their zones and labels, the CPU nodes, and signs of a broken node.
Imports no Pulumi.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.quotas import BALANCED_DISKS
from gpucluster.components.kubernetes.node_health.plan import MEMORY_REMAPPED
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.machine_choice import plan_machine, shapes_with
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.labels import LabelSyntax, problem_of_key
from gpucluster.core.catalog.machines import Machine, flexible_only, zones_of

CLOUD = "gcp"


def plan_training_machine(accelerator: str, training: Training, planning: Planning[Location]) -> Machine:
    """See `plan_machine`."""
    rows = shapes_with(CLOUD, accelerator)
    fitting = {row.machine_type: row for row in rows if not flexible_only(row.machine_type)}
    flexible = planning.machine is not None and flexible_only(planning.machine)
    why = ", which is sold as Spot or flex-start only, for the elastic pools" if flexible else ""
    return plan_machine(CLOUD, accelerator, training, fitting, planning, why=why)


def refuse_zones(pools: Mapping[Machine, str], planning: Planning[Location]) -> None:
    """Machines that are not available in the zone. pools: machine -> its pool, in prose."""
    location = planning.location
    for shape, pool in pools.items():
        known = zones_of(shape.machine_type)
        if not known:
            planning.before_up.append(
                f"no list of the zones with {shape.machine_type} for {pool} is known: check yours"
            )
        if not known or location.zone in known:
            continue
        here = [zone for zone in known if zone.startswith(f"{location.region}-")]
        where = (
            f"in {location.region}: {', '.join(here)}"
            if here
            else f"in no zone of {location.region}; listed in {', '.join(known)}"
        )
        planning.refuse_place(
            "zone",
            f"is {location.zone!r}, which does not list {shape.machine_type} for {pool}",
            f"it is listed {where}",
        )


def refuse_labels(labels: Mapping[str, str], planning: Planning[Location]) -> None:
    """Labels that Google Cloud refuses. Source: Google Cloud documentation, "Requirements for labels"."""
    for key in labels:
        if problem_of_key(key, LabelSyntax.GOOGLE) is not None:
            planning.refuse("labels", f"has the name {key!r}", "on Google Cloud a label's name starts with a letter")


# In three zones, so that DNS, Karpenter and operators survive the loss of one.
_NODES: Final = 3
# GKE adds nodes when pods do not fit: one for this many GPU nodes, for software that GKE scales by nodes, such as
# kube-dns and konnectivity. GoogleCloudPlatform/cluster-toolkit lets a system pool grow from 2 to 10.
_GPU_NODES: Final = 32
_SMALL_CLUSTER_LIMIT: Final = 6


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for DNS, Karpenter and operators: one in each of three zones, up to `most` if they need more."""

    most: int
    nodes: int = _NODES
    machine_type: str = "e2-standard-4"
    # Source: Compute Engine documentation, "General-purpose machine family", E2 standard.
    vcpus: int = 4
    memory_gib: int = 16
    root_gib: int = 100


def plan_system(gpu_nodes: int, planning: Planning[Location]) -> SystemPlan:
    """gpu_nodes: maximum of the whole cluster."""
    plan = SystemPlan(most=max(_SMALL_CLUSTER_LIMIT, _NODES + math.ceil(gpu_nodes / _GPU_NODES)))
    planning.quotas[BALANCED_DISKS] += plan.most * plan.root_gib
    return plan


BLOCK_CLASSES: Final = ("standard-rwo", "premium-rwo")
"""Storage classes of persistent disks that GKE installs.

Sources: GKE documentation, "Using the Compute Engine persistent disk CSI Driver"; public outputs of `kubectl get sc` of
GKE clusters, as of 2026-11-28, list both names.
"""

CONDITIONS: Final[Sequence[Mapping[str, Any]]] = (
    {
        "type": "XidCriticalError",
        "status": "True",
        "but": [json.dumps({str(MEMORY_REMAPPED): True}, separators=(",", ":"))],
    },
)
"""Of GKE's device plugin. It sets one condition for XIDs 48, 63, 64, 79, 119, 120, 123 and 140, whose reason is a JSON
object of the observed ones, and removes it after a reboot of the node. GKE's automatic repair does not read it.

Sources: GoogleCloudPlatform/container-engine-accelerators 06e703e6, pkg/gpu/nvidia/health_check/health_checker.go; GKE
documentation, "Auto-repair nodes".
"""
MAINTENANCE: Final = "cloud.google.com/scheduled-maintenance-time"
"""Label of a node whose host has planned maintenance, with its time in seconds since 1970.

Source: GKE documentation, "Manage disruption to GKE nodes that don't live migrate", and google/skills,
gke-ai-troubleshooting-handle-disruption-gpu-tpu (Unix epoch); from GKE 1.31.1-gke.2008000 on.
"""
REPAIR: Final = "its machine stays until someone requests a repair of its host"

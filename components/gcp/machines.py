"""The GPU machines of Google Cloud: which one a pool is made of, and what GKE calls what is in it."""

from __future__ import annotations

from dataclasses import dataclass

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.gcp.location import Location, zones_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import Shape, shapes, training_shape
from gpucluster.components.spec import TrainingSpec

__all__ = ["CLOUD", "Family", "family", "machine_problems", "spot_only", "training_machine", "zone_problems"]

CLOUD = "gcp"


@dataclass(frozen=True, kw_only=True)
class Family:
    """What GKE has to be told of a machine family.

    accelerator: GKE's name of its GPU. gpu_networks: device networks a node gets for the fabric, by their mode.
    mtu: of these networks and of the cluster's own, bytes. disk_type: of the boot disk. calendar: sold as a calendar
    reservation. on_demand: what is known of its capacity, None for nothing. compact_flex_start: compact placement goes
    with flex-start.
    """

    accelerator: str
    gpu_networks: tuple[str, ...] = ()
    mtu: int = 8896
    disk_type: str = "hyperdisk-balanced"
    calendar: bool = False
    on_demand: str | None = None
    compact_flex_start: bool = False


_RARE = (
    "on demand: Google's table of consumption options does not offer {machine} so, while public blueprints declare it; "
    "expect to find no capacity, and plan on {instead}"
)
_NONE = (
    "on demand: Google's tables of consumption options do not offer {machine} so, although a price is listed; plan on "
    "{instead}"
)

# Sources: Google Cloud documentation, "GPU machine types", Cluster Director "Choose a consumption option", GKE
# "Maximize GPU network bandwidth in Standard mode clusters", AI Hypercomputer "Create a custom AI-optimized GKE cluster
# which uses A4 or A3 Ultra"; GoogleCloudPlatform/cluster-toolkit v1.95.0 (examples/gke-a3-highgpu, gke-a3-megagpu,
# gke-a3-ultragpu, modules/compute/gke-node-pool: preconditions); GoogleCloudPlatform/accelerated-platforms (on-demand
# pools of A3 High and A3 Mega).
_FAMILIES = {
    "a3-highgpu": Family(accelerator="nvidia-h100-80gb", gpu_networks=("NetDevice",) * 4, mtu=8244, on_demand=_RARE),
    "a3-megagpu": Family(
        accelerator="nvidia-h100-mega-80gb",
        gpu_networks=("NetDevice",) * 8,
        mtu=8244,
        calendar=True,
        on_demand=_RARE,
    ),
    "a3-ultragpu": Family(
        accelerator="nvidia-h200-141gb",
        gpu_networks=("NetDevice", *("RDMA",) * 8),
        calendar=True,
        on_demand=_NONE,
        compact_flex_start=True,
    ),
    "a2-ultragpu": Family(accelerator="nvidia-a100-80gb", disk_type="pd-balanced"),
    "a2-highgpu": Family(accelerator="nvidia-tesla-a100", disk_type="pd-balanced"),
}


def family(machine_type: str) -> Family:
    """The family of a GPU machine. Raises KeyError for one that is in no table."""
    return _FAMILIES[machine_type.rpartition("-")[0]]


def spot_only(shape: Shape) -> bool:
    """Whether a machine is sold as Spot or flex-start and in no other way: A3 High with fewer than 8 GPUs.

    Source: Google Cloud documentation, "GPU machine types".
    """
    return shape.machine_type.startswith("a3-highgpu-") and shape.gpus < 8


def training_machine(spec: TrainingSpec, machine: str | None) -> Shape:
    """The row of the machine; where the one named can't be used, of the one that the spec implies."""
    fitting = _fitting(spec)
    if machine in fitting:
        return fitting[machine]
    return training_shape(CLOUD, spec.accelerator, spec.training.fabric_gbps)


def machine_problems(spec: TrainingSpec, machine: str | None) -> list[Problem]:
    """Why the training pool can't be made of the machine, in the words of the stack's configuration."""
    fitting = _fitting(spec)
    if machine is None or machine in fitting:
        return []
    known = {row.machine_type: row for row in shapes() if row.cloud == CLOUD}
    if machine in known and spot_only(known[machine]):
        why = "is sold as Spot or flex-start only, for the elastic pools"
        return [
            Problem(
                "machine", f"is {machine!r}, which {why}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}"
            )
        ]
    near = "" if machine in known else did_you_mean(machine, fitting)
    return [Problem("machine", f"is {machine!r}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}{near}")]


def _fitting(spec: TrainingSpec) -> dict[str, Shape]:
    rows = [row for row in shapes() if (row.cloud, row.accelerator) == (CLOUD, spec.accelerator)]
    return {row.machine_type: row for row in rows if not spot_only(row)}


def zone_problems(shape: Shape, location: Location, what: str) -> list[Problem]:
    """Why the machine can't be had in the zone. what: the pool, in words."""
    known = zones_of(shape.machine_type)
    if not known or location.zone in known:
        return []
    here = [zone for zone in known if zone.startswith(f"{location.region}-")]
    where = (
        f"in {location.region}: {', '.join(here)}"
        if here
        else f"in no zone of {location.region}; listed in {', '.join(known)}"
    )
    return [
        Problem(
            "zone",
            f"is {location.zone!r}, which does not list {shape.machine_type} for {what}",
            f"it is listed {where}",
        )
    ]

"""The MIG pool: nodes whose GPUs are sliced, all alike. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass

from components.gcp.machines import CLOUD
from components.shapes import Shape, training_shape
from components.spec import ClusterSpec

__all__ = ["SLICES", "MigPlan", "mig_problems", "plan_mig"]

# Accelerator -> size of a slice -> slices of one GPU, as GKE's device plugin accepts them. 4g.40gb is not among them:
# the partitioner knows it and the plugin refuses it.
# Source: GoogleCloudPlatform/container-engine-accelerators, pkg/gpu/nvidia/mig/mig.go and partition_gpu.go.
SLICES = {
    "h100": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "7g.80gb": 1},
    "h200": {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1, "7g.141gb": 1},
    "a100-80gb": {"1g.10gb": 7, "2g.20gb": 3, "3g.40gb": 2, "7g.80gb": 1},
    "a100-40gb": {"1g.5gb": 7, "2g.10gb": 3, "3g.20gb": 2, "7g.40gb": 1},
}


@dataclass(frozen=True, kw_only=True)
class MigPlan:
    """size: of every slice. slices: of the whole pool. purchase: on-demand, spot or flex-start."""

    shape: Shape
    nodes: int
    size: str
    slices: int
    purchase: str
    root_gib: int = 200


def _size(layout: str) -> str:
    return layout.removeprefix("all-")


def mig_problems(spec: ClusterSpec) -> list[str]:
    """Why GKE can't slice the GPUs so."""
    if spec.mig is None or _size(spec.mig.layout) in SLICES[spec.accelerator]:
        return []
    sizes = ", ".join(f"all-{size}" for size in SLICES[spec.accelerator])
    return [f"mig.layout is {spec.mig.layout!r}, which GKE does not accept for {spec.accelerator}; allowed: {sizes}"]


def plan_mig(spec: ClusterSpec) -> MigPlan | None:
    """The pool, of machines with 8 GPUs and no fabric in use."""
    if spec.mig is None:
        return None
    shape, size = training_shape(CLOUD, spec.accelerator, 0), _size(spec.mig.layout)
    return MigPlan(
        shape=shape,
        nodes=spec.mig.nodes,
        size=size,
        slices=spec.mig.nodes * shape.gpus * SLICES[spec.accelerator][size],
        purchase=spec.mig.purchase,
    )

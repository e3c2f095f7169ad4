"""The MIG pool: nodes whose GPUs are sliced, all alike. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.components.gcp.machines import CLOUD
from gpucluster.components.mig import MigResources, mig_note
from gpucluster.components.mig_layout import Kind, layout_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import Shape, training_shape
from gpucluster.components.spec import ClusterSpec

__all__ = ["MigPlan", "mig_notes", "mig_problems", "plan_mig"]

_1G, _1G_DOUBLE, _2G, _3G, _4G, _7G = Kind(1, 1), Kind(1, 2), Kind(2, 2), Kind(3, 4), Kind(4, 4), Kind(7, 8)
# Accelerator -> what GKE's device plugin accepts, as many of it as a GPU holds. 4g.40gb is not among them: the
# partitioner knows it and the plugin refuses it.
# Source: GoogleCloudPlatform/container-engine-accelerators, pkg/gpu/nvidia/mig/mig.go and partition_gpu.go.
_ACCEPTED: Final[Mapping[str, tuple[Kind, ...]]] = {
    "h100": (_1G, _1G_DOUBLE, _2G, _3G, _7G),
    "h200": (_1G, _1G_DOUBLE, _2G, _3G, _4G, _7G),
    "a100-80gb": (_1G, _2G, _3G, _7G),
    "a100-40gb": (_1G, _2G, _3G, _7G),
}


@dataclass(frozen=True, kw_only=True)
class MigPlan:
    """size: of every slice. purchase: on-demand, spot or flex-start. roll: its nodes may be replaced."""

    shape: Shape
    nodes: int
    size: str
    pool: MigResources
    purchase: str
    roll: bool = False
    root_gib: int = 200


def mig_problems(spec: ClusterSpec) -> list[Problem]:
    """Why GKE can't slice the GPUs so."""
    if spec.mig is None:
        return []
    problems: list[Problem] = []
    accepted = _ACCEPTED[spec.accelerator]
    if layout_of(spec.mig.layout, spec.accelerator).whole not in accepted:
        sizes = ", ".join(f"all-{kind.size(spec.accelerator)}" for kind in accepted)
        problems.append(
            Problem(
                "mig.layout",
                f"is {spec.mig.layout!r}, which GKE does not accept for {spec.accelerator}",
                f"allowed: {sizes}",
            )
        )
    if spec.mig.strategy == "mixed":
        problems.append(
            Problem(
                "mig.strategy", "is 'mixed', which GKE does not have: slices are nvidia.com/gpu there", "leave it out"
            )
        )
    return problems


def plan_mig(spec: ClusterSpec) -> MigPlan | None:
    """The pool, of machines with 8 GPUs and no fabric in use. Asked is what `mig_problems` has no objection to."""
    if spec.mig is None:
        return None
    layout, shape = layout_of(spec.mig.layout, spec.accelerator), training_shape(CLOUD, spec.accelerator, 0)
    [size] = layout.sizes(spec.accelerator)
    return MigPlan(
        shape=shape,
        nodes=spec.mig.nodes,
        size=size,
        pool=MigResources(
            layout=layout, gpu=spec.accelerator, gpus=spec.mig.nodes * shape.gpus, strategy=layout.strategy
        ),
        purchase=spec.mig.purchase,
        roll=spec.mig.roll,
    )


def mig_notes(plan: MigPlan | None) -> list[str]:
    """What pods have to ask for; GKE labels nodes with the size by itself."""
    return [] if plan is None else mig_note(plan.pool, f"cloud.google.com/gke-gpu-partition-size: {plan.size}")

"""The MIG pool: nodes whose GPUs are sliced, all alike. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.mig import slices_of
from gpucluster.components.gcp.machines import CLOUD
from gpucluster.components.mig import MigResources, mig_note
from gpucluster.components.mig_layout import layout_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record


@record(kw_only=True)
class MigPlan:
    """size: of every slice. purchase: on-demand, spot or flex-start. roll: its nodes may be replaced."""

    shape: Machine
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
    accepted = [found.size for found in slices_of(spec.accelerator) if found.gke]
    whole = layout_of(spec.mig.layout, spec.accelerator).whole
    if whole is None or whole.size(spec.accelerator) not in accepted:
        sizes = ", ".join(f"all-{size}" for size in accepted)
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

"""The MIG pool on Google Cloud: nodes with GPUs sliced in the same way. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.mig import slices_of
from gpucluster.components.gcp.machines import CLOUD
from gpucluster.components.mig import MigMachines, mig_note, sliced
from gpucluster.components.mig_layout import layout_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record


@record(kw_only=True)
class MigPlan(MigMachines):
    """purchase: on-demand, spot or flex-start."""

    purchase: str

    @property
    def size(self) -> str:
        """Size of every slice."""
        [size] = self.pool.slices
        return size


def mig_problems(spec: ClusterSpec) -> list[Problem]:
    """Why GKE can't create this layout."""
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
                "mig.strategy",
                "is 'mixed', which GKE does not support: slices are nvidia.com/gpu there",
                "remove it",
            )
        )
    return problems


def plan_mig(spec: ClusterSpec) -> MigPlan | None:
    """The pool, of machines with 8 GPUs and no fabric in use. The spec must pass `mig_problems`."""
    if spec.mig is None:
        return None
    shape = training_shape(CLOUD, spec.accelerator, 0)
    nodes, pool = sliced(spec.mig, spec.accelerator, shape)
    return MigPlan(shape=shape, nodes=nodes, pool=pool, roll=spec.mig.roll, purchase=spec.mig.purchase)


def mig_notes(plan: MigPlan | None) -> list[str]:
    """Resources that pods must request; GKE automatically labels nodes with the size."""
    return [] if plan is None else mig_note(plan.pool, f"cloud.google.com/gke-gpu-partition-size: {plan.size}")

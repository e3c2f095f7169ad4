"""The MIG pool on Azure: nodes with GPUs sliced in the same way. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.mig import slices, slices_of
from gpucluster.components.azure.machines import CLOUD
from gpucluster.components.azure.settings import Driver
from gpucluster.components.mig import MigMachines, sliced
from gpucluster.components.mig_layout import Kind, Layout, layout_of
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes_with, training_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record


@record(kw_only=True)
class MigPlan(MigMachines):
    """profile: AKS's name of the layout, None if the operators' MIG manager slices, not AKS. spot: bought as spot."""

    profile: str | None
    spot: bool
    root_gib: int = 1_000

    @property
    def layout(self) -> str:
        """Its name in the MIG manager on this GPU."""
        return self.pool.layout.name(self.pool.gpu)

    @property
    def config(self) -> Mapping[str, int] | None:
        """Slices of a GPU by size, if the MIG manager does not know the layout."""
        return None if self.pool.layout.known or self.profile is not None else self.pool.layout.sizes(self.pool.gpu)


def _profile(layout: Layout) -> str | None:
    """AKS's name of the layout; only layouts with the maximum number of slices of one kind have one."""
    whole = layout.whole
    named = (found.aks for found in slices() if whole == Kind(found.compute, found.memory) and found.aks)
    return next(named, None)


def driver_problems(spec: ClusterSpec, driver: Driver) -> list[Problem]:
    """Why this owner of the drivers can't create this layout, in the terms of the stack's configuration."""
    if spec.mig is None or driver == "operators" or _profile(layout_of(spec.mig.layout, spec.accelerator)) is not None:
        return []
    others = ", ".join(f"all-{found.size}" for found in slices_of(spec.accelerator) if found.aks)
    return [
        Problem(
            "gpuDriver",
            f"is 'aks', but AKS has no profile for mig.layout {spec.mig.layout!r}",
            f"remove gpuDriver, so that the operators' MIG manager slices, or change mig.layout to one of {others}",
        )
    ]


def plan_mig(spec: ClusterSpec, driver: Driver) -> MigPlan | None:
    """The pool, of machines without InfiniBand if there are any with this accelerator."""
    if spec.mig is None:
        return None
    shape = _shape(spec.accelerator)
    nodes, pool = sliced(spec.mig, spec.accelerator, shape)
    return MigPlan(
        shape=shape,
        nodes=nodes,
        pool=pool,
        roll=spec.mig.roll,
        profile=_profile(pool.layout) if driver == "aks" else None,
        spot=spec.mig.purchase == "spot",
    )


def _shape(accelerator: str) -> Machine:
    """The machine with most GPUs among those without fabric, else the training machine."""
    rows = [row for row in shapes_with(CLOUD, accelerator) if row.fabric == "none"]
    return max(rows, key=lambda row: row.gpus) if rows else training_shape(CLOUD, accelerator, 0)


def mig_losses(spec: ClusterSpec, plan: MigPlan | None) -> list[str]:
    """Requests of the spec that the pool cannot provide."""
    if plan is None or spec.mig is None or plan.pool.gpu == spec.accelerator:
        return []
    asked = plan.pool.layout.sizes(spec.accelerator)
    return [
        f"MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are {', '.join(plan.pool.slices)} instead "
        f"of {', '.join(asked)}; {plan.nodes} x {plan.shape.machine_type} have the GPUs of {spec.mig.nodes} x 8"
    ]

"""The MIG pool on Azure: nodes with GPUs sliced in the same way. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.machines import CLOUD
from gpucluster.components.planning.mig_layout import Kind, Layout, layout_of
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.elastic import refuse_flex_start
from gpucluster.components.shared.pools.machine_choice import shapes_with, training_shape
from gpucluster.components.shared.pools.mig import MigMachines, report_mig, sliced
from gpucluster.components.spec.pools import Mig
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.mig import slices, slices_of


@dataclass(frozen=True, kw_only=True)
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


def plan_mig(mig: Mig | None, accelerator: str, planning: Planning[Location]) -> MigPlan | None:
    """The pool, of machines without InfiniBand if there are any with this accelerator."""
    refuse_flex_start("Azure", planning, mig=mig)
    if mig is None:
        return None
    shape = _shape(accelerator)
    nodes, pool = sliced(mig, accelerator, shape)
    by_aks = planning.location.settings.driver == "aks"
    if by_aks and _profile(layout_of(mig.layout, accelerator)) is None:
        others = ", ".join(f"all-{found.size}" for found in slices_of(accelerator) if found.aks)
        planning.refuse_place(
            "gpuDriver",
            f"is 'aks', but AKS has no profile for mig.layout {mig.layout!r}",
            f"remove gpuDriver, so that the operators' MIG manager slices, or change mig.layout to one of {others}",
        )
    if pool.gpu != accelerator:
        asked = pool.layout.sizes(accelerator)
        planning.losses.append(
            f"MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are {', '.join(pool.slices)} instead "
            f"of {', '.join(asked)}; {nodes} x {shape.machine_type} have the GPUs of {mig.nodes} x 8"
        )
    report_mig(mig, pool, planning)
    return MigPlan(
        shape=shape,
        nodes=nodes,
        pool=pool,
        roll=mig.roll,
        profile=_profile(pool.layout) if by_aks else None,
        spot=mig.purchase == "spot",
    )


def _shape(accelerator: str) -> Machine:
    """The machine with most GPUs among those without fabric, else the training machine."""
    rows = [row for row in shapes_with(CLOUD, accelerator) if row.fabric == "none"]
    return max(rows, key=lambda row: row.gpus) if rows else training_shape(CLOUD, accelerator, 0)

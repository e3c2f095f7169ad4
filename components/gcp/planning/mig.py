"""The MIG pool on Google Cloud: nodes with GPUs sliced in the same way. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import CLOUD
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.machine_choice import training_shape
from gpucluster.components.shared.pools.mig import MigMachines, report_mig, sliced
from gpucluster.components.spec.pools import Mig
from gpucluster.core.catalog.mig import slices_of


@dataclass(frozen=True, kw_only=True)
class MigPlan(MigMachines):
    """purchase: on-demand, spot or flex-start."""

    purchase: str

    @property
    def size(self) -> str:
        """Size of every slice."""
        [size] = self.pool.slices
        return size


def plan_mig(mig: Mig | None, accelerator: str, planning: Planning[Location]) -> MigPlan | None:
    """The pool, of machines with 8 GPUs and no fabric in use. GKE labels its nodes with the size of their slices."""
    if mig is None:
        return None
    shape = training_shape(CLOUD, accelerator, 0)
    nodes, pool = sliced(mig, accelerator, shape)
    plan = MigPlan(shape=shape, nodes=nodes, pool=pool, roll=mig.roll, purchase=mig.purchase)
    accepted = [found.size for found in slices_of(accelerator) if found.gke]
    whole = pool.layout.whole
    if mig.strategy == "mixed":
        seen = "is 'mixed', which GKE does not support: slices are nvidia.com/gpu there"
        planning.refuse("mig.strategy", seen, "remove it")
    if whole is None or whole.size(accelerator) not in accepted:
        sizes = ", ".join(f"all-{size}" for size in accepted)
        seen = f"is {mig.layout!r}, which GKE does not accept for {accelerator}"
        planning.refuse("mig.layout", seen, f"allowed: {sizes}")
        return plan
    report_mig(mig, pool, planning, f"cloud.google.com/gke-gpu-partition-size: {plan.size}")
    return plan

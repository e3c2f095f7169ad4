"""Choice of the Azure machine type of the training pool. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.azure.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.machine_choice import plan_machine, shapes_with
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.azure import has_infiniband
from gpucluster.core.catalog.machines import Machine

CLOUD = "azure"


def plan_training_machine(accelerator: str, training: Training, planning: Planning[Location]) -> Machine:
    """See `plan_machine`. Machines for training are those with InfiniBand, and for a single node also the others."""
    rows = {row.machine_type: row for row in shapes_with(CLOUD, accelerator)}
    fitting = {name: row for name, row in rows.items() if training.size == 1 or has_infiniband(name)}
    why = ", which has no InfiniBand (no r in its name): it is for single nodes, sliced GPUs and the elastic pools"
    return plan_machine(CLOUD, accelerator, training, fitting, planning, why=why if planning.machine in rows else "")

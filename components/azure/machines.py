"""The GPU machines of Azure: which one a pool is made of. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.catalog.machines import Machine
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes, training_shape
from gpucluster.components.spec.parts import TrainingSpec

__all__ = ["CLOUD", "machine_problems", "training_machine"]

CLOUD = "azure"


def training_machine(spec: TrainingSpec, machine: str | None) -> Machine:
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
    if machine in known and known[machine].accelerator == spec.accelerator:
        why = "which has no InfiniBand (no r in its name): it is for single nodes, sliced GPUs and the elastic pools"
        return [
            Problem("machine", f"is {machine!r}, {why}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}")
        ]
    near = "" if machine in known else did_you_mean(machine, fitting)
    return [Problem("machine", f"is {machine!r}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}{near}")]


def _fitting(spec: TrainingSpec) -> dict[str, Machine]:
    """Machines for training: those with InfiniBand, and for a single node the others too."""
    single = spec.training.size == 1
    rows = [row for row in shapes() if (row.cloud, row.accelerator) == (CLOUD, spec.accelerator)]
    return {row.machine_type: row for row in rows if single or has_infiniband(row.machine_type)}

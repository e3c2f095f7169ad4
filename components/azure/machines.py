"""Choice of the Azure machine type of a GPU pool. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.catalog.machines import Machine
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes_with
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.training_machine import Fitting, chosen_machine, unfit_problems

CLOUD = "azure"


def training_machine(spec: TrainingSpec, machine: str | None) -> Machine:
    """See `chosen_machine`."""
    return chosen_machine(CLOUD, spec, machine, _fitting(spec))


def machine_problems(spec: TrainingSpec, machine: str | None) -> list[Problem]:
    """See `unfit_problems`."""
    single = any(row.machine_type == machine for row in shapes_with(CLOUD, spec.accelerator))
    why = (
        ", which has no InfiniBand (no r in its name): it is for single nodes, sliced GPUs and the elastic pools"
        if single
        else ""
    )
    return unfit_problems(spec, machine, _fitting(spec), why=why)


def _fitting(spec: TrainingSpec) -> Fitting:
    """Machines for training: those with InfiniBand, and for a single node also the others."""
    rows = shapes_with(CLOUD, spec.accelerator)
    return {row.machine_type: row for row in rows if spec.training.size == 1 or has_infiniband(row.machine_type)}

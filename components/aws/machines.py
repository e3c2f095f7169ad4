"""Choice of the AWS machine type of a GPU pool. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes_with
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.training_machine import Fitting, chosen_machine, unfit_problems


def training_machine(spec: TrainingSpec, machine: str | None) -> Machine:
    """See `chosen_machine`."""
    return chosen_machine("aws", spec, machine, _fitting(spec))


def machine_problems(spec: TrainingSpec, machine: str | None) -> list[Problem]:
    """See `unfit_problems`."""
    return unfit_problems(spec, machine, _fitting(spec))


def _fitting(spec: TrainingSpec) -> Fitting:
    return {row.machine_type: row for row in shapes_with("aws", spec.accelerator)}

"""Which machine a training pool is made of: the one the spec implies, or the one the stack's configuration names."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.plan import PlanError
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes, training_shape
from gpucluster.components.spec.parts import TrainingSpec


def training_machine(spec: TrainingSpec, machine: str | None) -> Machine:
    """The row of the machine. Raises PlanError when the one named is not of the spec's accelerator."""
    problems = machine_problems(spec, machine)
    if problems:
        raise PlanError(problems)
    if machine is None:
        return training_shape("aws", spec.accelerator, spec.training.fabric_gbps)
    return _fitting(spec)[machine]


def machine_problems(spec: TrainingSpec, machine: str | None) -> list[Problem]:
    """Why the training pool can't be made of the machine, in the words of the stack's configuration."""
    fitting = _fitting(spec)
    if machine is None or machine in fitting:
        return []
    known = any(row.machine_type == machine for row in shapes())
    near = "" if known else did_you_mean(machine, fitting)
    return [Problem("machine", f"is {machine!r}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}{near}")]


def _fitting(spec: TrainingSpec) -> dict[str, Machine]:
    return {row.machine_type: row for row in shapes() if (row.cloud, row.accelerator) == ("aws", spec.accelerator)}

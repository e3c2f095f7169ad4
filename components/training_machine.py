"""Which machine a training pool is made of: the one the spec implies, or the one the stack's configuration names."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shape_named, training_shape
from gpucluster.components.spec.parts import TrainingSpec

Fitting = dict[str, Machine]
"""Machine type -> its row, of those that a cloud's training pool can be made of."""


def chosen_machine(cloud: str, spec: TrainingSpec, machine: str | None, fitting: Fitting) -> Machine:
    """The row of the machine; where the one named can't be used, of the one that the spec implies."""
    if machine in fitting:
        return fitting[machine]
    return training_shape(cloud, spec.accelerator, spec.training.fabric_gbps)


def unfit_problems(spec: TrainingSpec, machine: str | None, fitting: Fitting, *, why: str = "") -> list[Problem]:
    """Why the training pool can't be made of the machine, in the words of the stack's configuration. why: where the
    cloud knows more than that it does not fit.
    """
    if machine is None or machine in fitting:
        return []
    near = "" if shape_named(machine) else did_you_mean(machine, fitting)
    allowed = f"with accelerator {spec.accelerator}: {', '.join(fitting)}{near}"
    return [Problem("machine", f"is {machine!r}{why}", allowed)]

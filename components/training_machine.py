"""The machine of a training pool: the one the spec implies, or the one the stack's configuration names."""

from __future__ import annotations

from typing import Any

from gpucluster.catalog.machines import Machine
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.planning import Planning
from gpucluster.components.shapes import shape_named, training_shape
from gpucluster.components.spec.pools import Training

Fitting = dict[str, Machine]
"""Machine type -> its row, for the machines that a cloud's training pool can use."""


def plan_machine(
    cloud: str, accelerator: str, training: Training, fitting: Fitting, planning: Planning[Any], *, why: str = ""
) -> Machine:
    """The machine of the training nodes; if the named one can't be used, the one that the spec implies. why: the
    cloud's specific reason, if it has one.
    """
    named = planning.machine
    if named in fitting:
        return fitting[named]
    if named is not None:
        near = "" if shape_named(named) else did_you_mean(named, fitting)
        allowed = f"with accelerator {accelerator}: {', '.join(fitting)}{near}"
        planning.refuse_config("machine", f"is {named!r}{why}", allowed)
    return training_shape(cloud, accelerator, training.fabric_gbps)

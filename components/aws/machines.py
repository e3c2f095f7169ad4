"""Which machine a training pool is made of: the one the spec implies, or the one the stack's configuration names."""

from __future__ import annotations

from components.plan import PlanError
from components.shapes import Shape, shapes, training_shape
from components.spec import ClusterSpec

__all__ = ["training_machine"]


def training_machine(spec: ClusterSpec, machine: str | None) -> Shape:
    """The row of the machine. Raises PlanError when the one named is not of the spec's accelerator."""
    if machine is None:
        return training_shape("aws", spec.accelerator, spec.training.fabric_gbps)
    fitting = {row.machine_type: row for row in shapes() if (row.cloud, row.accelerator) == ("aws", spec.accelerator)}
    if machine not in fitting:
        raise PlanError([f"machine is {machine!r}; with accelerator {spec.accelerator}: {', '.join(fitting)}"])
    return fitting[machine]

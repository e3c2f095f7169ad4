"""The machines of the catalog that clusters use, and the choice among them."""

from __future__ import annotations

import functools
from typing import Any

from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import did_you_mean
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.machines import Machine, machines, sold_instead


@functools.cache
def shapes() -> tuple[Machine, ...]:
    """Every machine that clusters use, in order of preference within a cloud and accelerator."""
    return tuple(machine for machine in machines().values() if machine.clusters)


def shape(cloud: str, machine_type: str) -> Machine:
    """The row of one machine type. Raises KeyError if the table has none."""
    for row in shapes():
        if (row.cloud, row.machine_type) == (cloud, machine_type):
            return row
    raise KeyError(f"{machine_type} is not in the table of {cloud} shapes")


def shape_named(machine_type: str | None) -> Machine | None:
    """The row of a machine type, whichever cloud sells it: no two clouds share a name. None if unknown."""
    return next((row for row in shapes() if row.machine_type == machine_type), None)


def shapes_with(cloud: str, accelerator: str) -> list[Machine]:
    """Every machine of a cloud with this accelerator."""
    return [row for row in shapes() if (row.cloud, row.accelerator) == (cloud, accelerator)]


def training_shape(cloud: str, accelerator: str, fabric_gbps: int) -> Machine:
    """The 8-GPU machine for multi-node training: the slowest fabric that is fast enough, else the fastest.

    Raises KeyError if the cloud has no 8-GPU machine with this accelerator.
    """
    rows = [row for row in shapes_with(cloud, accelerator) if row.gpus == NODE_GPUS]
    if not rows:
        raise KeyError(f"no 8-GPU machine with {accelerator} in the table of {cloud} shapes")
    enough = [row for row in rows if row.fabric_gbps >= fabric_gbps]
    return min(enough, key=lambda row: row.fabric_gbps) if enough else max(rows, key=lambda row: row.fabric_gbps)


def sold_accelerators(cloud: str) -> tuple[str, ...]:
    """Accelerators of which a cloud sells 8-GPU machines, in the order of the table."""
    return tuple(dict.fromkeys(row.accelerator for row in shapes() if (row.cloud, row.gpus) == (cloud, NODE_GPUS)))


def elastic_shape(cloud: str, accelerator: str) -> Machine:
    """The smallest machine for single-node GPU work: with this accelerator if available, else with another.

    Raises KeyError if the cloud has none.
    """
    rows = [row for row in shapes() if row.cloud == cloud and row.gpus < NODE_GPUS]
    if not rows:
        raise KeyError(f"no machine with fewer than 8 GPUs in the table of {cloud} shapes")
    return min(rows, key=lambda row: (row.accelerator != accelerator, row.gpus))


Fitting = dict[str, Machine]
"""Machine type -> its row, for the machines that a cloud's training pool can use."""


def plan_machine(
    cloud: str, accelerator: str, training: Training, fitting: Fitting, planning: Planning[Any], *, why: str = ""
) -> Machine:
    """The machine of the training nodes; if the named one can't be used, the one that the spec implies. why: the
    cloud's specific reason, if it has one.

    Raises PlanError if the cloud has no 8-GPU machine with the accelerator: no part can be planned without one.
    """
    allowed = sold_accelerators(cloud)
    if accelerator not in allowed:
        seen = f"is {accelerator!r}, of which no machine with {NODE_GPUS} GPUs is sold here"
        fix = f"allowed: {', '.join(allowed)}; {sold_instead(cloud, accelerator)}".removesuffix("; ")
        planning.refuse("accelerator", seen, fix)
        planning.check()
    named = planning.machine
    if named in fitting:
        return fitting[named]
    if named is not None:
        near = "" if shape_named(named) else did_you_mean(named, fitting)
        allowed = f"with accelerator {accelerator}: {', '.join(fitting)}{near}"
        planning.refuse_config("machine", f"is {named!r}{why}", allowed)
    return training_shape(cloud, accelerator, training.fabric_gbps)

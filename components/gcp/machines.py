"""The GPU machines of Google Cloud: which one a pool is made of."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import flexible_only
from gpucluster.catalog.zones import zones_of
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.gcp.location import Location
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes, training_shape
from gpucluster.components.spec.parts import TrainingSpec

CLOUD = "gcp"


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
    if machine in known and flexible_only(machine):
        why = "is sold as Spot or flex-start only, for the elastic pools"
        return [
            Problem(
                "machine", f"is {machine!r}, which {why}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}"
            )
        ]
    near = "" if machine in known else did_you_mean(machine, fitting)
    return [Problem("machine", f"is {machine!r}", f"with accelerator {spec.accelerator}: {', '.join(fitting)}{near}")]


def _fitting(spec: TrainingSpec) -> dict[str, Machine]:
    rows = [row for row in shapes() if (row.cloud, row.accelerator) == (CLOUD, spec.accelerator)]
    return {row.machine_type: row for row in rows if not flexible_only(row.machine_type)}


def zone_problems(shape: Machine, location: Location, what: str) -> list[Problem]:
    """Why the machine can't be had in the zone. what: the pool, in words."""
    known = zones_of(shape.machine_type)
    if not known or location.zone in known:
        return []
    here = [zone for zone in known if zone.startswith(f"{location.region}-")]
    where = (
        f"in {location.region}: {', '.join(here)}"
        if here
        else f"in no zone of {location.region}; listed in {', '.join(known)}"
    )
    return [
        Problem(
            "zone",
            f"is {location.zone!r}, which does not list {shape.machine_type} for {what}",
            f"it is listed {where}",
        )
    ]

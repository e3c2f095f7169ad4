"""Choice of the Google Cloud machine type of a GPU pool."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import flexible_only
from gpucluster.catalog.zones import zones_of
from gpucluster.components.gcp.location import Location
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes_with
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.training_machine import Fitting, chosen_machine, unfit_problems

CLOUD = "gcp"


def training_machine(spec: TrainingSpec, machine: str | None) -> Machine:
    """See `chosen_machine`."""
    return chosen_machine(CLOUD, spec, machine, _fitting(spec))


def machine_problems(spec: TrainingSpec, machine: str | None) -> list[Problem]:
    """See `unfit_problems`."""
    flexible = machine is not None and flexible_only(machine)
    why = ", which is sold as Spot or flex-start only, for the elastic pools" if flexible else ""
    return unfit_problems(spec, machine, _fitting(spec), why=why)


def _fitting(spec: TrainingSpec) -> Fitting:
    rows = shapes_with(CLOUD, spec.accelerator)
    return {row.machine_type: row for row in rows if not flexible_only(row.machine_type)}


def zone_problems(shape: Machine, location: Location, what: str) -> list[Problem]:
    """Why the machine is not available in the zone. what: the pool, in prose."""
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

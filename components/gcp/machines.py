"""The Google Cloud machine types of GPU pools, their zones, and labels. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.machine_choice import plan_machine, shapes_with
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.labels import LabelSyntax, problem_of_key
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.purchase_limits import flexible_only
from gpucluster.core.catalog.zones import zones_of

CLOUD = "gcp"


def plan_training_machine(accelerator: str, training: Training, planning: Planning[Location]) -> Machine:
    """See `plan_machine`."""
    rows = shapes_with(CLOUD, accelerator)
    fitting = {row.machine_type: row for row in rows if not flexible_only(row.machine_type)}
    flexible = planning.machine is not None and flexible_only(planning.machine)
    why = ", which is sold as Spot or flex-start only, for the elastic pools" if flexible else ""
    return plan_machine(CLOUD, accelerator, training, fitting, planning, why=why)


def refuse_zones(pools: Mapping[Machine, str], planning: Planning[Location]) -> None:
    """Machines that are not available in the zone. pools: machine -> its pool, in prose."""
    location = planning.location
    for shape, pool in pools.items():
        known = zones_of(shape.machine_type)
        if not known or location.zone in known:
            continue
        here = [zone for zone in known if zone.startswith(f"{location.region}-")]
        where = (
            f"in {location.region}: {', '.join(here)}"
            if here
            else f"in no zone of {location.region}; listed in {', '.join(known)}"
        )
        planning.refuse_place(
            "zone",
            f"is {location.zone!r}, which does not list {shape.machine_type} for {pool}",
            f"it is listed {where}",
        )


def refuse_labels(labels: Mapping[str, str], planning: Planning[Location]) -> None:
    """Labels that Google Cloud refuses. Source: Google Cloud documentation, "Requirements for labels"."""
    for key in labels:
        if problem_of_key(key, LabelSyntax.GOOGLE) is not None:
            planning.refuse("labels", f"has the name {key!r}", "on Google Cloud a label's name starts with a letter")

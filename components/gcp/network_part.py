"""GPU networks without a cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import flexible_only
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import CLOUD, zone_problems
from gpucluster.components.gcp.network_plan import NetworkPlan, plan_network
from gpucluster.components.gcp.plan import label_problems
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import shapes
from gpucluster.components.spec.parts import NetworkSpec


def config_problems(spec: NetworkSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the machine needs no such networks, or is not available in the zone."""
    del spec
    known = _machines()
    if machine not in known:
        near = did_you_mean(str(machine), known)
        return [Problem("machine", f"is {machine!r}", f"allowed: {', '.join(known)}{near}")]
    return [] if location is None else zone_problems(known[machine], location, "the GPU nodes")


def plan_problems(spec: NetworkSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every other problem of the spec."""
    del stack, machine
    return label_problems(spec.labels)


def plan_networks(spec: NetworkSpec, machine: str) -> NetworkPlan:
    """The networks for nodes of the machine."""
    return plan_network(_machines()[machine], nat=spec.nat, private_services=spec.private_services)


def _machines() -> dict[str, Machine]:
    """Machines that a training pool can use."""
    return {row.machine_type: row for row in shapes() if row.cloud == CLOUD and not flexible_only(row.machine_type)}

"""GPU networks without a cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import CLOUD, refuse_labels, refuse_zones
from gpucluster.components.gcp.planning.network_plan import NetworkPlan, plan_network
from gpucluster.components.planning.configuration import did_you_mean
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.machine_choice import shapes
from gpucluster.components.spec.cluster import NetworkSpec
from gpucluster.core.catalog.purchase_limits import flexible_only


def plan_networks(spec: NetworkSpec, planning: Planning[Location]) -> tuple[NetworkSpec, NetworkPlan]:
    """The networks for nodes of the machine, which must be one that a training pool can use."""
    refuse_labels(spec.labels, planning)
    rows = (row for row in shapes() if row.cloud == CLOUD and not flexible_only(row.machine_type))
    known = {row.machine_type: row for row in rows}
    shape = known.get(planning.machine or "")
    if shape is None:
        near = did_you_mean(str(planning.machine), known)
        planning.refuse_config("machine", f"is {planning.machine!r}", f"allowed: {', '.join(known)}{near}")
        shape = next(iter(known.values()))
    else:
        refuse_zones({shape: "the GPU nodes"}, planning)
    return spec, plan_network(shape, nat=spec.nat, private_services=spec.private_services)

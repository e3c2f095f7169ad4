"""Nodes placed close together.

Sources: GKE documentation, "Define compact placement for GKE nodes"; Compute Engine documentation, "Compact placement
policy and workload policy overview"; Kubernetes Engine API, BlueGreenSettings; GoogleCloudPlatform/cluster-toolkit
v1.95.0 modules/compute/gke-node-pool/main.tf (flex-start); NVIDIA/JAX-Toolbox pull request 1609 (reservations).
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.gcp.identity import region_of
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

_POLICY: Final = "gcp:compute/resourcePolicy:ResourcePolicy"
_MOST_NODES: Final = 1500


@rule(NODE_POOL)
def compact_nodes_are_in_one_zone(managed: ManagedResource) -> None:
    """A compact placement is in one zone."""
    pool = Pool(managed)
    if pool.is_compact and len(pool.zones) != 1:
        message = f"Compact placement requires exactly one zone; the node pool is in {', '.join(pool.zones)}"
        raise refused(managed, message)


@rule(NODE_POOL)
def compact_nodes_are_few_enough(managed: ManagedResource) -> None:
    """A compact placement holds up to 1,500 nodes."""
    pool = Pool(managed)
    scaling = mapping(managed.inputs.get("autoscaling"))
    sizes = (managed.inputs.get("nodeCount"), scaling.get("totalMaxNodeCount"), scaling.get("maxNodeCount"))
    most = max(int(size or 0) for size in sizes)
    if pool.is_compact and most > _MOST_NODES:
        raise refused(managed, f"Compact placement is limited to {_MOST_NODES} nodes; the node pool asks for {most}")


@rule(NODE_POOL)
def compact_and_queued_exclude_each_other(managed: ManagedResource) -> None:
    """Queued machines are already placed."""
    pool = Pool(managed)
    if pool.is_compact and pool.is_queued:
        raise refused(managed, "Compact placement is not supported with queued provisioning")


@rule(NODE_POOL)
def compact_is_not_upgraded_blue_green(managed: ManagedResource) -> None:
    """Blue-green upgrades need a second set of nodes, which the placement cannot hold in addition to the first."""
    strategy = mapping(managed.inputs.get("upgradeSettings")).get("strategy")
    if Pool(managed).is_compact and strategy == "BLUE_GREEN":
        raise refused(managed, "Blue-green upgrades are not supported with compact placement")


@rule(NODE_POOL)
def compact_with_flex_start_is_for_rdma(managed: ManagedResource) -> None:
    """Flex-start places A3 Ultra and A4 only."""
    pool = Pool(managed)
    if pool.is_compact and pool.is_flex_start and not (pool.machine is not None and pool.machine.is_rdma):
        message = f"Compact placement with flex-start is not supported on machine type {pool.machine_type}"
        raise refused(managed, message)


@rule(NODE_POOL)
def placement_policy_exists(managed: ManagedResource) -> None:
    """The referenced policy exists in the project and region, and collocates.

    A reservation's policy was created outside the sandbox, like the reservation, and is unknown here.
    """
    pool = Pool(managed)
    name = pool.placement.get("policyName")
    if not name:
        return
    path = managed.path(name, f"regions/{region_of(managed.location)}/resourcePolicies")
    found = managed.at(_POLICY, path)
    if found is None and pool.takes_reservations:
        return
    if found is None:
        raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")
    group = mapping(found.inputs.get("groupPlacementPolicy"))
    if pool.is_compact and group.get("collocation") != "COLLOCATED" and not found.inputs.get("workloadPolicy"):
        raise refused(managed, f"Resource policy {found.name} is not a compact placement policy")
    if pool.is_compact and found.inputs.get("workloadPolicy"):
        raise refused(managed, f"Workload policy {found.name} and compact placement exclude each other")


@rule(NODE_POOL)
def reserved_machines_stay_where_they_are(managed: ManagedResource) -> None:
    """A reservation without a placement policy provides no machine to a pool with one.

    GKE creates its own policy only for COMPACT, and no reservation has that policy. Whether an external reservation has
    the named policy is unknown here.
    """
    pool = Pool(managed)
    if not pool.takes_reservations or not pool.is_compact:
        return
    name = pool.reservation.split("/reservationBlocks/")[0].rsplit("/", 1)[-1]
    found = any(entry.name == name for entry in managed.others("gcp:compute/reservation:Reservation", name))
    if found or not pool.placement.get("policyName"):
        message = (
            f"Reservation {name or 'of any name'} was not created with the placement policy of the node pool: to "
            "consume "
            "a reservation with a placement policy, the instance has to specify the same resource policy"
        )
        raise refused(managed, message, reason="UNSUPPORTED_OPERATION")


@rule(_POLICY)
def placement_distance_is_short(managed: ManagedResource) -> None:
    """At most 3, and only for collocated machines (Compute Engine API, ResourcePolicyGroupPlacementPolicy)."""
    group = mapping(managed.inputs.get("groupPlacementPolicy"))
    distance = group.get("maxDistance")
    if distance is None:
        return
    if group.get("collocation") != "COLLOCATED":
        raise refused(managed, "maxDistance requires collocation COLLOCATED")
    if not 1 <= int(distance) <= 3:
        raise refused(
            managed, f"Invalid value for field 'groupPlacementPolicy.maxDistance': '{distance}'; valid: 1 to 3"
        )

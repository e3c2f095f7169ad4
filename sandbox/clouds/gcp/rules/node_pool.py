"""GKE's requirements for every node pool.

Sources: Kubernetes Engine API, NodePool, NodePoolAutoscaling, UpgradeSettings and MaxPodsConstraint; GKE documentation,
"Add and manage node pools" (names); hashicorp/terraform-provider-google-beta@93c65b2d
container/resource_container_node_pool.go (expandNodePool).
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.identity import region_of, zones_of
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

_NAME: Final = r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?"
_MOST_IN_A_ZONE: Final = 1000
_PER_ZONE: Final = ("minNodeCount", "maxNodeCount")
_TOTAL: Final = ("totalMinNodeCount", "totalMaxNodeCount")


@rule(NODE_POOL)
def cluster_exists(managed: ManagedResource) -> None:
    """The cluster exists in the pool's location."""
    pool = Pool(managed)
    path = managed.id.rsplit("/nodePools/", 1)[0]
    if pool.cluster is None:
        raise refused(managed, f"Not found: {path}.", status=404, reason="notFound")


@rule(NODE_POOL)
def name_is_short(managed: ManagedResource) -> None:
    """Up to 40 lower-case letters, digits and hyphens."""
    if not re.fullmatch(_NAME, managed.name):
        message = (
            f"Invalid value for field node_pool.name: {managed.name}; up to 40 lower-case letters, digits and hyphens"
        )
        raise refused(managed, message)


@rule(NODE_POOL)
def size_is_given_once(managed: ManagedResource) -> None:
    """The first size and the size of a pool exclude each other."""
    if managed.inputs.get("initialNodeCount") and managed.inputs.get("nodeCount") and not managed.previous:
        raise CloudError(f"Cannot set both initial_node_count and node_count on node pool {managed.name}")


@rule(NODE_POOL)
def nodes_of_a_zone_are_few_enough(managed: ManagedResource) -> None:
    """A pool holds up to 1,000 nodes in each zone (GKE documentation, "Quotas and limits")."""
    count = max(int(managed.inputs.get(key) or 0) for key in ("initialNodeCount", "nodeCount"))
    if count > _MOST_IN_A_ZONE:
        raise refused(
            managed, f"Node pool {managed.name} asks for {count} nodes in a zone; the most is {_MOST_IN_A_ZONE}"
        )


@rule(NODE_POOL)
def scaling_is_in_order(managed: ManagedResource) -> None:
    """Limits are per zone or in total, not both, and in order."""
    scaling = mapping(managed.inputs.get("autoscaling"))
    per_zone, total = ([int(scaling.get(key) or 0) for key in keys] for keys in (_PER_ZONE, _TOTAL))
    if any(per_zone) and any(total):
        raise refused(managed, "Autoscaling limits per zone and in total exclude each other")
    for low, high in (per_zone, total):
        if low > high:
            raise refused(managed, f"Autoscaling: the minimum {low} is above the maximum {high}")


@rule(NODE_POOL)
def zones_are_in_the_region(managed: ManagedResource) -> None:
    """Every zone of the nodes is in the cluster's region, also for a zonal cluster."""
    wrong = [zone for zone in Pool(managed).zones if zone not in zones_of(region_of(managed.location))]
    if wrong:
        raise refused(managed, f"Location {wrong[0]} is not a zone of {region_of(managed.location)}")


@rule(NODE_POOL)
def upgrades_move_something(managed: ManagedResource) -> None:
    """A surge upgrade removes or adds nodes."""
    settings = mapping(managed.inputs.get("upgradeSettings"))
    surge = (settings.get("maxSurge"), settings.get("maxUnavailable"))
    if settings.get("strategy") in (None, "SURGE") and surge == (0, 0):
        raise refused(managed, "max_surge and max_unavailable cannot both be 0")
    if settings.get("strategy") not in (None, "SURGE") and any(value is not None for value in surge):
        raise CloudError("Surge upgrade settings may not be changed when surge strategy is not enabled")
    if settings.get("blueGreenSettings") and settings.get("strategy") != "BLUE_GREEN":
        raise CloudError("Blue-green upgrade settings may not be changed when blue-green strategy is not enabled")


@rule(NODE_POOL)
def pods_of_a_node_are_8_to_256(managed: ManagedResource) -> None:
    """Between 8 and 256."""
    most = managed.inputs.get("maxPodsPerNode")
    if most is not None and not 8 <= int(most) <= 256:
        raise refused(managed, f"max_pods_per_node {most} is not between 8 and 256")


@rule(NODE_POOL)
def maintenance_interval_fits_spot(managed: ManagedResource) -> None:
    """Spot machines have no planned maintenance (AI-Hypercomputer/xpk, blueprint_generator.py)."""
    pool = Pool(managed)
    interval = mapping(pool.config.get("hostMaintenancePolicy")).get("maintenanceInterval")
    if interval == "PERIODIC" and pool.is_spot:
        raise refused(managed, "The maintenance interval PERIODIC is not supported with Spot VMs")

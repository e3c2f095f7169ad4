"""GKE's requirements for a cluster.

Sources: Kubernetes Engine API, Cluster; GKE documentation, "Set up multi-network support for Pods", "VPC-native
clusters" and "Maintenance windows and exclusions"; hashicorp/terraform-provider-google-beta@93c65b2d
container/resource_container_cluster.go.
"""

from __future__ import annotations

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.machines import CLUSTER
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, refused, region_of, rule


@rule(CLUSTER)
def several_networks_need_dataplane_v2(managed: ManagedResource) -> None:
    """Multi-networking requires Dataplane V2, and excludes Calico."""
    is_v2 = managed.inputs.get("datapathProvider") == "ADVANCED_DATAPATH"
    if managed.inputs.get("enableMultiNetworking") is True and not is_v2:
        raise refused(managed, "Multi-networking requires Dataplane V2: set datapath_provider to ADVANCED_DATAPATH")
    if is_v2 and mapping(managed.inputs.get("networkPolicy")).get("enabled") is True:
        raise refused(
            managed, "Enabling NetworkPolicy for clusters with DatapathProvider=ADVANCED_DATAPATH is not allowed"
        )


@rule(CLUSTER)
def network_exists(managed: ManagedResource) -> None:
    """Network and subnetwork exist, belong together and are in the cluster's region; so do the referenced ranges.

    Every project has a network `default`, which is not in the ledger.
    """
    network, subnetwork = managed.network(managed.inputs.get("network")), managed.inputs.get("subnetwork")
    if network is None and managed.inputs.get("network") != "default":
        path = managed.path(managed.inputs.get("network"), "global/networks")
        raise refused(managed, f"Network {path} does not exist", status=404, reason="notFound")
    if not subnetwork:
        return
    found = managed.subnetwork(subnetwork)
    if found is None:
        path = managed.path(subnetwork, f"regions/{region_of(managed.location)}/subnetworks")
        raise refused(managed, f"Subnetwork {path} does not exist", status=404, reason="notFound")
    if network is not None and managed.path(found.inputs["network"], "global/networks") != network.id:
        raise refused(managed, f"Subnetwork {found.name} is not in network {network.name}")
    if found.outputs["region"] != region_of(managed.location):
        message = (
            f"Subnetwork {found.name} is in {found.outputs['region']}, the cluster in {region_of(managed.location)}"
        )
        raise refused(managed, message)
    names = {mapping(item).get("rangeName") for item in items(found.inputs.get("secondaryIpRanges"))}
    policy = mapping(managed.inputs.get("ipAllocationPolicy"))
    requested = [policy.get(f"{kind}SecondaryRangeName") for kind in ("cluster", "services")]
    missing = [name for name in requested if name and name not in names]
    if missing:
        raise refused(managed, f"Subnetwork {found.name} has no secondary range {missing[0]}")
    if requested[0] and requested[0] == requested[1]:
        raise refused(managed, f"Pods and services cannot share the secondary range {requested[0]}")


@rule(CLUSTER)
def zones_are_in_the_region(managed: ManagedResource) -> None:
    """Every zone of the nodes is in the cluster's region."""
    region = region_of(managed.location)
    wrong = [
        zone for zone in items(managed.inputs.get("nodeLocations")) if region_of(str(zone)) != region or zone == region
    ]
    if wrong:
        raise refused(managed, f"Location {wrong[0]} is not a zone of {region}")


@rule(CLUSTER)
def first_nodes_are_requested(managed: ManagedResource) -> None:
    """A Standard cluster is created with a node pool, even if it is removed at once."""
    inputs = managed.inputs
    if managed.previous or inputs.get("enableAutopilot") is True or inputs.get("nodePools"):
        if inputs.get("nodePools") and inputs.get("removeDefaultNodePool") is True:
            raise CloudError("remove_default_node_pool and node_pool exclude each other")
        return
    if not inputs.get("initialNodeCount"):
        raise refused(managed, "Cluster.initial_node_count must be greater than zero")
    if inputs.get("nodeVersion") and inputs.get("removeDefaultNodePool") is True:
        raise CloudError("node_version can only be specified if remove_default_node_pool is not true")


@rule(CLUSTER)
def exclusions_end_once(managed: ManagedResource) -> None:
    """A maintenance exclusion has an end time or a rule for its end."""
    for item in items(mapping(managed.inputs.get("maintenancePolicy")).get("maintenanceExclusions")):
        exclusion = mapping(item)
        behaviour = mapping(exclusion.get("exclusionOptions")).get("endTimeBehavior")
        if bool(exclusion.get("endTime")) == bool(behaviour):
            name = exclusion.get("exclusionName")
            raise refused(managed, f"Maintenance exclusion {name} needs either end_time or end_time_behavior")


@rule(CLUSTER)
def workload_pool_is_the_projects(managed: ManagedResource) -> None:
    """The identity pool of a project has one name (GKE documentation, "About Workload Identity Federation for GKE")."""
    pool = mapping(managed.inputs.get("workloadIdentityConfig")).get("workloadPool")
    if pool and pool != f"{managed.project}.svc.id.goog":
        message = f'Currently, the only supported workload pool is "{managed.project}.svc.id.goog", not "{pool}"'
        raise refused(managed, message)


@rule(CLUSTER)
def auto_provisioning_has_limits(managed: ManagedResource) -> None:
    """Node auto-provisioning needs limits for CPU and memory (GKE documentation, "Use node auto-provisioning")."""
    scaling = mapping(managed.inputs.get("clusterAutoscaling"))
    if scaling.get("enabled") is not True:
        return
    limits = {mapping(item).get("resourceType") for item in items(scaling.get("resourceLimits"))}
    if scaling.get("defaultComputeClassEnabled") is not True and not {"cpu", "memory"} <= limits:
        raise refused(managed, "Node auto-provisioning requires resource limits for cpu and memory")

"""GKE's requirements for every node pool, its machine type and the slices of its GPUs.

Sources: Compute Engine documentation, "Accelerator-optimized machine family" and "GPU machine types"; GKE
documentation, "Run GPUs in GKE Standard node pools"; GoogleCloudPlatform/cluster-toolkit v1.95.0
modules/compute/gke-node-pool/disk_definitions.tf.

Source: GoogleCloudPlatform/container-engine-accelerators pkg/gpu/nvidia/mig/mig.go (the sizes GKE's device plugin
knows) and its text for others. 4g.40gb of an H100 is in the partitioner's list and not in the plugin's.

Sources: Kubernetes Engine API, NodePool, NodePoolAutoscaling, UpgradeSettings and MaxPodsConstraint; GKE documentation,
"Add and manage node pools" (names); hashicorp/terraform-provider-google-beta@93c65b2d
container/resource_container_node_pool.go (expandNodePool).
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL, Pool, is_unknown_type
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, kept_from, refused, region_of, rule, zones_of


@rule(NODE_POOL)
def machine_type_exists(managed: ManagedResource) -> None:
    """All machines of families with accelerators are known. GKE's text: keras-team/kinetic #305."""
    pool = Pool(managed)
    if is_unknown_type(pool.machine_type):
        zone = next(iter(pool.zones), managed.location)
        raise refused(managed, f'Invalid machine type "{pool.machine_type}" in zone "{zone}": GCE_NOT_FOUND')


@rule(NODE_POOL)
def accelerators_are_those_of_the_machine(managed: ManagedResource) -> None:
    """An accelerator-optimized machine has its fixed type and number of accelerators."""
    pool = Pool(managed)
    machine = pool.machine
    if machine is None:
        return
    for accelerator in pool.accelerators:
        requested = (accelerator.get("type"), int(accelerator.get("count") or 0))
        if requested != (machine.accelerator, machine.gpus):
            message = (
                f"Machine type {machine.machine_type} comes with {machine.gpus} x {machine.accelerator}; "
                f"guest_accelerators ask for {requested[1]} x {requested[0]}"
            )
            raise refused(managed, message)


@rule(NODE_POOL)
def local_ssds_are_those_of_the_machine(managed: ManagedResource) -> None:
    """Local SSDs have a single use, and their number is that of the machine type."""
    pool = Pool(managed)
    ways = ("ephemeralStorageLocalSsdConfig", "localNvmeSsdBlockConfig")
    given = {way: mapping(pool.config.get(way)) for way in ways if pool.config.get(way)}
    if len(given) > 1:
        raise refused(managed, "ephemeral_storage_local_ssd_config and local_nvme_ssd_block_config exclude each other")
    fixed = pool.machine.local_ssds if pool.machine is not None else None
    for config in given.values():
        count = int(config.get("localSsdCount") or 0)
        if fixed is not None and count != fixed:
            message = f"Machine type {pool.machine_type} has {fixed} local SSDs; local_ssd_count asks for {count}"
            raise refused(managed, message)


@rule(NODE_POOL)
def boot_disk_is_fast_enough(managed: ManagedResource) -> None:
    """A3 and newer machines do not boot from standard persistent disks."""
    pool = Pool(managed)
    disk = pool.config.get("diskType") or mapping(pool.config.get("bootDisk")).get("diskType")
    if disk == "pd-standard" and pool.machine_type.startswith(("a3-", "a4-")):
        message = f"[pd-standard] features are not compatible for creating instance of machine type {pool.machine_type}"
        raise refused(managed, message)


_SIZES: Final = {
    "nvidia-tesla-a100": ("1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb"),
    "nvidia-a100-80gb": ("1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h100-80gb": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h100-mega-80gb": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h200-141gb": ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
    "nvidia-b200": ("1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"),
}


@rule(NODE_POOL)
def partition_size_exists(managed: ManagedResource) -> None:
    """The size is one of the accelerator's."""
    pool = Pool(managed)
    for accelerator in pool.accelerators:
        size, type_ = accelerator.get("gpuPartitionSize"), str(accelerator.get("type"))
        if size and type_ in _SIZES and size not in _SIZES[type_]:
            message = f"{size} is not a valid GPU partition size for {type_}; valid: {', '.join(_SIZES[type_])}"
            raise refused(managed, message)
        if size and type_ not in _SIZES:
            raise refused(managed, f"Accelerator type {type_} does not support GPU partitions")


@rule(NODE_POOL)
def slices_have_no_fabric(managed: ManagedResource) -> None:
    """Slices do not use the GPU networks."""
    pool = Pool(managed)
    if pool.partition and (pool.networks or pool.network_profile):
        raise kept_from(managed, "slices of GPUs never use the GPU networks; leave them out of a pool with MIG")


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
def maintenance_interval_fits_spot(managed: ManagedResource) -> None:
    """Spot machines have no planned maintenance (AI-Hypercomputer/xpk, blueprint_generator.py)."""
    pool = Pool(managed)
    interval = mapping(pool.config.get("hostMaintenancePolicy")).get("maintenanceInterval")
    if interval == "PERIODIC" and pool.is_spot:
        raise refused(managed, "The maintenance interval PERIODIC is not supported with Spot VMs")

"""Fixed parts of a machine type: accelerators, local SSDs, boot disks.

Sources: Compute Engine documentation, "Accelerator-optimized machine family" and "GPU machine types"; GKE
documentation, "Run GPUs in GKE Standard node pools"; GoogleCloudPlatform/cluster-toolkit v1.95.0
modules/compute/gke-node-pool/disk_definitions.tf.
"""

from __future__ import annotations

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool, is_unheard_of
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule


@rule(NODE_POOL)
def machine_is_heard_of(managed: ManagedResource) -> None:
    """All machines of families with accelerators are known. GKE's words: keras-team/kinetic #305."""
    pool = Pool(managed)
    if is_unheard_of(pool.machine_type):
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
        asked = (accelerator.get("type"), int(accelerator.get("count") or 0))
        if asked != (machine.accelerator, machine.gpus):
            message = (
                f"Machine type {machine.machine_type} comes with {machine.gpus} x {machine.accelerator}; "
                f"guest_accelerators ask for {asked[1]} x {asked[0]}"
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

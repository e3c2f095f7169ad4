"""Purchase options of a node pool's machines.

Sources: Compute Engine documentation, "GPU machine types" (1, 2 and 4 GPUs of an H100); GKE documentation, "About GPU
obtainability with flex-start" and "Run a large-scale workload with flex-start with queued provisioning";
GoogleCloudPlatform/cluster-toolkit v1.95.0 modules/compute/gke-node-pool/main.tf.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

_PARTS_OF_A_HOST: Final = ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g")
_LONGEST: Final = 604800
"""Seconds, seven days."""


@rule(NODE_POOL)
def parts_of_a_host_are_spot_or_flex_start(managed: ManagedResource) -> None:
    """Fewer than eight H100s are available only as Spot or flex-start machines."""
    pool = Pool(managed)
    if pool.machine_type in _PARTS_OF_A_HOST and not (pool.is_spot or pool.is_flex_start or pool.is_queued):
        message = f"Machine type {pool.machine_type} must be created as Spot VMs or Flex-start VMs"
        raise refused(managed, message)


@rule(NODE_POOL)
def flex_start_keeps_its_rules(managed: ManagedResource) -> None:
    """Flex-start machines start when capacity is available, for at most seven days, and are never repaired."""
    pool = Pool(managed)
    if not pool.is_flex_start:
        return
    scaling = mapping(managed.inputs.get("autoscaling"))
    management = mapping(managed.inputs.get("management"))
    if managed.inputs.get("nodeCount"):
        raise refused(managed, "Flex-start requires autoscaling instead of a fixed node_count")
    if not scaling.get("totalMaxNodeCount") and not scaling.get("maxNodeCount"):
        raise refused(managed, "Flex-start requires autoscaling with a maximum, such as total_max_node_count")
    if scaling.get("locationPolicy") not in (None, "", "ANY"):
        raise refused(managed, f"Flex-start requires the location policy ANY, not {scaling['locationPolicy']}")
    if management.get("autoRepair") is not False:
        raise refused(managed, "Flex-start requires node auto-repair to be disabled")
    if pool.takes_reservations:
        raise refused(managed, "Flex-start is not supported with reservations: use NO_RESERVATION")
    if pool.is_spot:
        raise refused(managed, "Flex-start and Spot VMs exclude each other")


@rule(NODE_POOL)
def queued_machines_come_at_once(managed: ManagedResource) -> None:
    """Queued provisioning starts from zero nodes and uses no other purchase option."""
    pool = Pool(managed)
    if not pool.is_queued:
        return
    scaling = mapping(managed.inputs.get("autoscaling"))
    if managed.inputs.get("nodeCount") or managed.inputs.get("initialNodeCount"):
        raise refused(managed, "Queued provisioning requires a node pool that starts with 0 nodes")
    if not scaling or scaling.get("totalMinNodeCount") or scaling.get("minNodeCount"):
        raise refused(managed, "Queued provisioning requires autoscaling from 0 nodes")
    if pool.takes_reservations:
        raise refused(managed, "Queued provisioning is not supported with reservations: use NO_RESERVATION")
    if pool.is_spot:
        raise refused(managed, "Queued provisioning and Spot VMs exclude each other")


@rule(NODE_POOL)
def run_duration_is_at_most_a_week(managed: ManagedResource) -> None:
    """A machine with a run duration ends within seven days; the duration is in seconds, such as 604800s."""
    given = Pool(managed).config.get("maxRunDuration")
    if not given:
        return
    seconds = re.fullmatch(r"(\d+)s", str(given))
    if seconds is None:
        raise refused(managed, f"Invalid value for max_run_duration: {given}; a duration looks like 604800s")
    if not 1 <= int(seconds[1]) <= _LONGEST:
        raise refused(managed, f"max_run_duration {given} is longer than seven days, {_LONGEST}s")

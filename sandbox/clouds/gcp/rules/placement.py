"""Sources of a node pool's machines: placement, purchase options, reservations.

Sources: GKE documentation, "Define compact placement for GKE nodes"; Compute Engine documentation, "Compact placement
policy and workload policy overview"; Kubernetes Engine API, BlueGreenSettings; GoogleCloudPlatform/cluster-toolkit
v1.95.0 modules/compute/gke-node-pool/main.tf (flex-start); NVIDIA/JAX-Toolbox pull request 1609 (reservations).

Sources: Compute Engine documentation, "GPU machine types" (1, 2 and 4 GPUs of an H100); GKE documentation, "About GPU
obtainability with flex-start" and "Run a large-scale workload with flex-start with queued provisioning";
GoogleCloudPlatform/cluster-toolkit v1.95.0 modules/compute/gke-node-pool/main.tf.

Sources: Kubernetes Engine API, ReservationAffinity; GKE documentation, "Consume reserved zonal resources"; the errors
are those quoted in AI-Hypercomputer/xpk src/xpk/core/nodepool.py.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, refused, region_of, rule

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


_TYPES: Final = ("NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION", "ANY_RESERVATION_THEN_FAIL")
_KEY: Final = "compute.googleapis.com/reservation-name"
_VALUE: Final = re.compile(
    r"(projects/[^/]+/reservations/)?[a-z][-a-z0-9]*(/reservationBlocks/[^/]+(/reservationSubBlocks/[^/]+)?)?"
)


@rule(NODE_POOL)
def affinity_is_complete(managed: ManagedResource) -> None:
    """A specific reservation has the only supported key and one value; the other kinds have neither."""
    affinity = Pool(managed).affinity
    if not affinity:
        return
    kind, key, values = affinity.get("consumeReservationType"), affinity.get("key"), items(affinity.get("values"))
    if kind not in _TYPES:
        raise _refused(managed, f"consume_reservation_type {kind}; valid: {', '.join(_TYPES)}")
    if kind != "SPECIFIC_RESERVATION":
        if key or values:
            raise _refused(managed, f"{kind} takes no key and no values")
        return
    if key != _KEY:
        raise _refused(managed, f"key {key}; SPECIFIC_RESERVATION needs {_KEY}")
    if len(values) != 1:
        raise _refused(managed, f"{len(values)} values; SPECIFIC_RESERVATION needs the name of one reservation")
    if not _VALUE.fullmatch(str(values[0])):
        raise _refused(
            managed, f"value {values[0]}; a reservation is R, projects/P/reservations/R or one of its blocks"
        )


@rule(NODE_POOL)
def reservation_has_the_machines(managed: ManagedResource) -> None:
    """A reservation provides machines of its type, in its zone, with its maintenance.

    Reservations that the project got outside the sandbox are unknown here and not checked.
    """
    pool = Pool(managed)
    name = pool.reservation.split("/reservationBlocks/")[0].rsplit("/", 1)[-1]
    reservations = managed.others("gcp:compute/reservation:Reservation", name)
    found = next((entry for entry in reservations if name and entry.name == name), None)
    if found is None:
        return
    held = mapping(mapping(found.inputs.get("specificReservation")).get("instanceProperties"))
    if held.get("machineType") != pool.machine_type:
        raise _refused(managed, f"reservation {name} holds {held.get('machineType')}, not {pool.machine_type}")
    zone = str(found.inputs.get("zone")).rsplit("/", 1)[-1]
    if pool.zones != [zone]:
        raise _refused(managed, f"reservation {name} is in {zone}, the node pool in {', '.join(pool.zones)}")
    requested = mapping(pool.config.get("hostMaintenancePolicy")).get("maintenanceInterval")
    if requested == "PERIODIC" and held.get("maintenanceInterval") != "PERIODIC":
        message = f"The maintenance interval PERIODIC is incorrect for the requested resources of reservation {name}"
        raise refused(managed, message)


def _refused(managed: ManagedResource, what: str) -> Exception:
    return refused(managed, f"Invalid value for field 'resource.reservationAffinity': {what}", reason="invalid")

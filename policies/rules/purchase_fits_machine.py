"""The machine type of a GPU node pool is sold by the pool's purchase option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.catalog.azure_regions import size_of
from gpucluster.core.catalog.machines import flexible_only, sold
from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import any_of, at, flag, items, known_items, text, whole
from gpucluster.policies.clouds.azure import declared_pools as azure
from gpucluster.policies.clouds.gcp import declared_pools as gcp
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, ResourceRule, Severity, Violation

_COMPUTE_CLASS: Final = "kubernetes:cloud.google.com/v1:ComputeClass"
_LONGEST_RUN: Final = 7 * 24 * 3600
_NOT_SOLD: Final = "is sold as spot and flex-start only, never on demand"
_NOT_ON_DEMAND: Final = "is never sold on demand; it needs a reservation, flex-start or spot"


def _gcp(resource: Resource) -> Iterator[Finding]:
    """Purchase options of a GKE node pool: on demand, spot, flex-start, queued, from a reservation.

    Sources: cluster-toolkit v1.95.0 (2026-06-25), `modules/compute/gke-node-pool/main.tf`, for valid combinations;
    `maxRunDuration` of flex-start at most 7 days.
    """
    if resource.type == _COMPUTE_CLASS:
        yield from _priorities(resource)
    for pool in gcp.declared_pools(resource):
        purchase = _Purchase(pool)
        if problems := [*purchase.problems()]:
            yield Violation(resource, "; ".join(problems))
        on_demand = purchase.spot is False and purchase.flex_start is False
        if pool.machine is UNKNOWN and on_demand and pool.managed:
            yield CannotTell(resource, "its machine type, which may not be sold on demand, is not known yet")
        if purchase.flexible_only and purchase.spot is not True and UNKNOWN in (purchase.spot, purchase.flex_start):
            yield CannotTell(resource, f"whether {pool.machine} is bought as spot or flex-start is not known yet")


def _priorities(compute_class: Resource) -> Iterator[Finding]:
    """A rule of a ComputeClass that can never start a machine."""
    for number, priority in enumerate(known_items(compute_class.inputs, "spec", "priorities"), start=1):
        machine = text(priority, "machineType")
        ways = (flag(priority, "spot"), flag(priority, "flexStart", "enabled"))
        if isinstance(machine, str) and flexible_only(machine) and True not in ways and UNKNOWN not in ways:
            what = f"priority {number}: {machine} {_NOT_SOLD}"
            yield Violation(compute_class, what, fix="Set spot or flexStart.enabled in that priority, or remove it.")


class _Purchase:
    """The purchase option of one pool, each setting read once."""

    def __init__(self, pool: gcp.GcpPool) -> None:
        inputs: Mapping[str, Any] = pool.inputs
        self.pool = pool
        self.spot = any_of(flag(inputs, "nodeConfig", name) for name in ("spot", "preemptible"))
        ways = (("nodeConfig", "flexStart"), ("queuedProvisioning", "enabled"))
        self.flex_start = any_of(flag(inputs, *way) for way in ways)
        self.reservation = text(inputs, "nodeConfig", "reservationAffinity", "consumeReservationType")
        self.reserved_from = self.reservation if self.reservation not in (None, UNKNOWN, "NO_RESERVATION") else None
        self.is_compact = text(inputs, "placementPolicy", "type") == "COMPACT"
        self.reserved_only = isinstance(pool.machine, str) and sold(pool.machine, "on_demand") == "no"
        self.flexible_only = isinstance(pool.machine, str) and flexible_only(pool.machine)

    def problems(self) -> Iterator[str]:
        if self.flexible_only and self.spot is False and self.flex_start is False:
            yield f"{self.pool.machine} {_NOT_SOLD}"
        elif self.reserved_only and self.spot is False and self.flex_start is False and not self.reserved_from:
            yield f"{self.pool.machine} {_NOT_ON_DEMAND}"
        yield from self._flex()
        yield from self._queued()
        yield from self._reserved()
        if self.is_compact and text(self.pool.inputs, "upgradeSettings", "strategy") == "BLUE_GREEN":
            yield "COMPACT together with blue-green upgrades"

    def _flex(self) -> Iterator[str]:
        inputs = self.pool.inputs
        if flag(inputs, "nodeConfig", "flexStart") is not True:
            return
        if isinstance(whole(inputs, "nodeCount"), int):
            yield f"flexStart with nodeCount {whole(inputs, 'nodeCount')}; it requires autoscaling from 0"
        if at(inputs, "autoscaling") is None:
            yield "flexStart without autoscaling"
        if flag(inputs, "management", "autoRepair") not in (False, UNKNOWN):
            yield "flexStart with autoRepair, which must be False"
        if (locations := text(inputs, "autoscaling", "locationPolicy")) not in (None, UNKNOWN, "ANY"):
            yield f"flexStart with locationPolicy {locations}; it requires ANY"
        if (longest := _seconds(text(inputs, "nodeConfig", "maxRunDuration"))) and longest > _LONGEST_RUN:
            yield f"flexStart with maxRunDuration {longest}s; the maximum is {_LONGEST_RUN}s, 7 days"
        if self.spot is True:
            yield "flexStart together with spot"
        if self.reserved_from:
            yield f"flexStart together with {self.reserved_from}"
        machine = self.pool.machine
        if self.is_compact and isinstance(machine, str) and sold(machine, "compact_flex_start") != "yes":
            yield f"flexStart together with COMPACT on {machine}; only A3 Ultra and A4 support it"

    def _queued(self) -> Iterator[str]:
        inputs = self.pool.inputs
        if flag(inputs, "queuedProvisioning", "enabled") is not True:
            return
        least = [whole(inputs, "autoscaling", name) for name in ("totalMinNodeCount", "minNodeCount")]
        if any(isinstance(count, int) and count > 0 for count in least):
            yield "queuedProvisioning with a minimum above 0 nodes"
        if self.is_compact:
            yield "queuedProvisioning together with COMPACT"
        if self.spot is True:
            yield "queuedProvisioning together with spot"
        if self.reserved_from:
            yield f"queuedProvisioning together with {self.reserved_from}"

    def _reserved(self) -> Iterator[str]:
        values = items(self.pool.inputs, "nodeConfig", "reservationAffinity", "values")
        if self.reservation == "SPECIFIC_RESERVATION":
            if values is not UNKNOWN and len(values) != 1:
                yield f"SPECIFIC_RESERVATION with {len(values)} reservations; a node pool supports one"
        elif values is not UNKNOWN and values and self.reservation is not UNKNOWN:
            yield f"{self.reservation} with a named reservation; only SPECIFIC_RESERVATION supports one"
        if self.spot is True and self.reserved_from:
            yield f"spot together with {self.reserved_from}"


def _seconds(duration: str | Unknown | None) -> int | None:
    """Seconds of a duration such as `604800s`."""
    digits = duration.removesuffix("s") if isinstance(duration, str) else ""
    return int(digits) if digits.isdigit() else None


_RESERVATION: Final = "azure-native:compute:CapacityReservation"
_OF_SPOT: Final = ("scaleSetEvictionPolicy", "spotMaxPrice")


def _azure(resource: Resource) -> Iterator[Finding]:
    """Purchase options of an AKS node pool: on demand, spot, from a reservation.

    Sources: Azure page "On-demand capacity reservation" (2026-02-17), for machines that cannot be reserved or combined
    with Spot; the SDK's own documentation of AgentPool, for inputs that only Spot accepts.
    """
    for pool in azure.declared_pools(resource):
        priority = text(pool.inputs, "scaleSetPriority")
        reserved = text(pool.inputs, "capacityReservationGroupID")
        if priority is UNKNOWN:
            if reserved is not None:
                yield CannotTell(resource, "whether it uses spot capacity is not known yet")
        elif problems := [*_spot_problems(pool, priority, isinstance(reserved, str) or reserved is UNKNOWN)]:
            yield Violation(resource, "; ".join(problems))
    machine = text(resource.inputs, "sku", "name") if resource.type == _RESERVATION else None
    size = size_of(machine) if isinstance(machine, str) else None
    if size is not None and (size.series == "ND" or (size.series == "NC" and size.gpu == "H100")):
        yield CannotTell(
            resource,
            f"Azure's documentation lists no on-demand capacity reservations for {machine}; the Resource SKUs of the "
            "subscription show whether it supports them (CapacityReservationSupported)",
        )


def _spot_problems(pool: azure.AzurePool, priority: str | None, reserved: bool) -> Iterator[str]:
    if priority == "Spot":
        if reserved:
            yield "Spot together with a capacity reservation group"
        return
    for name in _OF_SPOT:
        if at(pool.inputs, name) not in (None, UNKNOWN):
            yield f"{name} without scaleSetPriority Spot"


RULE: Final = ResourceRule(
    name="purchase-fits-machine",
    title="The machine type of a GPU node pool is available under its purchase option",
    why="The cloud refuses the node pool, or keeps it waiting for capacity that is never sold that way, while the rest "
    "of the cluster is billed.",
    spec="purchase",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=90,
    **per_cloud(
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, "
            "kubernetes:cloud.google.com/v1:ComputeClass",
            fix="Buy a3-highgpu-1g, -2g and -4g as spot or flex_start, and a4-highgpu-8g also by reservation; "
            "flex_start with autoscaling (total_max_node_count), without node_count, auto_repair False, "
            "max_run_duration of at most 604800s, no reservation and no spot; queued_provisioning with a minimum of 0 "
            "nodes; COMPACT without queued_provisioning and blue-green upgrades.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads="azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster, "
            "azure-native:compute:CapacityReservation",
            fix="Use Spot without a capacity reservation group; set scale_set_eviction_policy and spot_max_price only "
            "with scale_set_priority Spot.",
        ),
    ),
)

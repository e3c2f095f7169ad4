"""Purchase options of a GKE node pool: on demand, spot, flex-start, queued, from a reservation.

Sources: cluster-toolkit v1.95.0
(2026-06-25), `modules/compute/gke-node-pool/main.tf`, for valid combinations; `maxRunDuration` of flex-start at most 7
days.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.catalog.sold import flexible_only, sold
from gpucluster.policies.clouds.gcp.written import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import at, flag, items, text, whole

FIX: Final = (
    "Buy a3-highgpu-1g, -2g and -4g as spot or flex_start; flex_start with autoscaling (total_max_node_count), without "
    "node_count, auto_repair False, max_run_duration of at most 604800s, no reservation and no spot; "
    "queued_provisioning with a minimum of 0 nodes; COMPACT without queued_provisioning and blue-green upgrades."
)
READS: Final = (
    "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, kubernetes:cloud.google.com/v1:ComputeClass"
)

_COMPUTE_CLASS: Final = "kubernetes:cloud.google.com/v1:ComputeClass"
_LONGEST_RUN: Final = 7 * 24 * 3600
_NOT_SOLD: Final = "is sold as spot and flex-start only, never on demand"


def check(resource: Resource) -> Iterator[Finding]:
    if resource.type == _COMPUTE_CLASS:
        yield from _priorities(resource)
    for pool in written_pools(resource):
        way = _Way(pool)
        if problems := [*way.machine(), *way.flex(), *way.queued(), *way.reserved(), *way.compact()]:
            yield Violation(resource, "; ".join(problems))
        on_demand = way.spot is False and way.flex_start is False
        if pool.machine is UNKNOWN and on_demand and pool.gke:
            yield CannotTell(resource, "its machine type, which may not be sold on demand, is not known yet")
        if way.flexible_only and way.spot is not True and UNKNOWN in (way.spot, way.flex_start):
            yield CannotTell(resource, f"whether {pool.machine} is bought as spot or flex-start is not known yet")


def _priorities(compute_class: Resource) -> Iterator[Finding]:
    """A rule of a ComputeClass that can never start a machine."""
    listed = items(compute_class.inputs, "spec", "priorities")
    for number, priority in enumerate([] if listed is UNKNOWN else listed, start=1):
        machine = text(priority, "machineType")
        ways = (flag(priority, "spot"), flag(priority, "flexStart", "enabled"))
        if isinstance(machine, str) and flexible_only(machine) and True not in ways and UNKNOWN not in ways:
            what = f"priority {number}: {machine} {_NOT_SOLD}"
            yield Violation(compute_class, what, fix="Set spot or flexStart.enabled in that priority, or remove it.")


class _Way:
    """The purchase option of one pool, each setting read once."""

    def __init__(self, pool: Written) -> None:
        inputs: Mapping[str, Any] = pool.inputs
        self.pool = pool
        self.spot = _either(flag(inputs, "nodeConfig", "spot"), flag(inputs, "nodeConfig", "preemptible"))
        self.flex_start = _either(
            flag(inputs, "nodeConfig", "flexStart"), flag(inputs, "queuedProvisioning", "enabled")
        )
        self.reservation = text(inputs, "nodeConfig", "reservationAffinity", "consumeReservationType")
        self.reserved_from = self.reservation if self.reservation not in (None, UNKNOWN, "NO_RESERVATION") else None
        self.is_compact = text(inputs, "placementPolicy", "type") == "COMPACT"
        self.flexible_only = isinstance(pool.machine, str) and flexible_only(pool.machine)

    def machine(self) -> Iterator[str]:
        if self.flexible_only and self.spot is False and self.flex_start is False:
            yield f"{self.pool.machine} {_NOT_SOLD}"

    def flex(self) -> Iterator[str]:
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

    def queued(self) -> Iterator[str]:
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

    def reserved(self) -> Iterator[str]:
        values = items(self.pool.inputs, "nodeConfig", "reservationAffinity", "values")
        if self.reservation == "SPECIFIC_RESERVATION":
            if values is not UNKNOWN and len(values) != 1:
                yield f"SPECIFIC_RESERVATION with {len(values)} reservations; a node pool supports one"
        elif values is not UNKNOWN and values and self.reservation is not UNKNOWN:
            yield f"{self.reservation} with a named reservation; only SPECIFIC_RESERVATION supports one"
        if self.spot is True and self.reserved_from:
            yield f"spot together with {self.reserved_from}"

    def compact(self) -> Iterator[str]:
        if self.is_compact and text(self.pool.inputs, "upgradeSettings", "strategy") == "BLUE_GREEN":
            yield "COMPACT together with blue-green upgrades"


def _either(one: bool | Unknown | None, other: bool | Unknown | None) -> bool | Unknown:
    if one is True or other is True:
        return True
    return UNKNOWN if UNKNOWN in (one, other) else False


def _seconds(duration: str | Unknown | None) -> int | None:
    """Seconds of a duration such as `604800s`."""
    digits = duration.removesuffix("s") if isinstance(duration, str) else ""
    return int(digits) if digits.isdigit() else None

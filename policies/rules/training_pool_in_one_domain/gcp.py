"""Nodes of one training pool are co-located."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.names import last
from gpucluster.policies.clouds.gcp.placement import (
    FUTURE_RESERVATION,
    RESERVATION,
    Policy,
    Reservation,
    policy_of,
    reservation_of,
)
from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import NodePool, machines_of, training_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import without_fabric
from gpucluster.policies.machines import label_of
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import text

# GKE page "Define compact placement for GKE nodes".
_MOST_NODES: Final = 1500

FIX: Final = (
    "Set placement_policy type COMPACT on the node pool (with policy_name, one ResourcePolicy with collocation "
    "COLLOCATED for all of its node pools), or set reservation_affinity to a densely deployed reservation."
)
READS: Final = f"{MACHINES}, gcp:compute/resourcePolicy:ResourcePolicy, {RESERVATION}, {FUTURE_RESERVATION}"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool, stack.resources)
    for nodes in machines_of(stack.resources):
        if not nodes.written.sliced:
            yield from without_fabric(nodes, nodes.written.labels, gpus=nodes.written.with_gpus)


def _of_pool(pool: tuple[NodePool, ...], resources: Resources) -> Iterator[Finding]:
    nowhere: list[NodePool] = []
    domains: list[Policy | Reservation | Unknown] = []
    for nodes in pool:
        policy, reservation = policy_of(nodes.written, resources), reservation_of(nodes.written, resources)
        if isinstance(reservation, Reservation):
            domains.append(reservation)
            yield from _dense(nodes, reservation)
        elif isinstance(policy, Policy):
            domains.append(policy)
            yield from _compact(nodes, policy)
        elif policy is UNKNOWN or reservation is UNKNOWN:
            domains.append(UNKNOWN)
            yield CannotTell(nodes.resource, "its placement is not known yet")
        elif nodes.written.flexible:
            domains.append(UNKNOWN)
            yield CannotTell(
                nodes.resource, f"{nodes.label} by flex-start: Google Cloud places them as close together as it can"
            )
        else:
            nowhere.append(nodes)
    if nowhere:
        what = f"{label_of(nowhere)}, no compact placement policy and no specific reservation"
        yield nowhere[0].finding(what)
    elif UNKNOWN not in domains:
        yield from _together(pool, [domain for domain in domains if domain is not UNKNOWN])


def _dense(pool: NodePool, reservation: Reservation) -> Iterator[Finding]:
    """A reservation is one domain if it was deployed densely; its blocks and those of a calendar always are."""
    if reservation.block:
        return
    made = reservation.resource
    if made is None:
        yield CannotTell(pool.resource, f"whether {reservation.label} is densely deployed is unknown")
        return
    future = made.type == FUTURE_RESERVATION
    deployed = text(made.inputs, "deploymentType") if future else None
    if UNKNOWN in (deployed, text(made.inputs, "reservationMode")):
        yield CannotTell(pool.resource, f"the deployment type of {reservation.label} is not known yet")
    elif deployed != "DENSE" and not (future and text(made.inputs, "reservationMode") == "CALENDAR"):
        yield pool.finding(
            f"{pool.label} in {reservation.label}, which is not densely deployed",
            fix="Use a future reservation with deployment_type DENSE or in calendar mode, or remove the reservation "
            "and set placement_policy type COMPACT.",
        )


def _compact(pool: NodePool, policy: Policy) -> Iterator[Finding]:
    if isinstance(pool.nodes, int) and pool.nodes > _MOST_NODES:
        yield pool.finding(
            f"{pool.label} in {policy.label}; one policy supports {_MOST_NODES:,}",
            fix="Use fewer nodes, or a densely deployed reservation.",
        )
    if policy.resource is None:
        if policy.name is not None:
            yield CannotTell(pool.resource, f"{policy.label} is not part of this stack: its collocation is unknown")
        return
    found = _collocated(policy.resource)
    if found is None:
        yield CannotTell(pool.resource, f"the collocation of {policy.label} is not known yet")
    elif not found:
        yield pool.finding(
            f"{pool.label} in {policy.label}, which does not set collocation COLLOCATED",
            fix="Set group_placement_policy.collocation of the ResourcePolicy to COLLOCATED.",
        )


def _collocated(policy: Resource) -> bool | None:
    """Whether a policy co-locates machines, None if unknown before the update."""
    asked = (
        text(policy.inputs, "groupPlacementPolicy", "collocation"),
        text(policy.inputs, "workloadPolicy", "type"),
    )
    if "COLLOCATED" in asked or "HIGH_THROUGHPUT" in asked:
        return True
    return None if UNKNOWN in asked else False


def _together(pool: tuple[NodePool, ...], domains: list[Policy | Reservation]) -> Iterator[Finding]:
    """Whether all node pools of one training pool have the same placement."""
    names = {_identity(nodes, domain): domain.label for nodes, domain in zip(pool, domains, strict=True)}
    if len(names) < 2 and (len(domains) < 2 or UNKNOWN not in names):
        return
    told = ", ".join(sorted(names.values()))
    if UNKNOWN in names:
        yield CannotTell(pool[0].resource, f"whether {label_of(pool)} are co-located is unknown: {told}")
    elif all(isinstance(domain, Policy) for domain in domains):
        yield pool[0].finding(f"{label_of(pool)} in {len(names)} placement policies: {told}")
    else:
        yield CannotTell(pool[0].resource, f"whether {label_of(pool)} are co-located is unknown: {told}")


def _identity(pool: NodePool, domain: Policy | Reservation) -> str | Unknown:
    if domain.resource is not None:
        return domain.resource.urn
    if isinstance(domain, Reservation):
        return domain.path if domain.path is UNKNOWN else last(domain.path)
    return f"{pool.resource.urn}/{pool.name}" if domain.name is None else domain.name

"""Nodes of one training pool are co-located."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import text, whole
from gpucluster.policies.clouds.aws import placement as on_aws
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.azure.declared_pools import SCALE_SETS
from gpucluster.policies.clouds.azure.karpenter import karpenter_findings
from gpucluster.policies.clouds.gcp import placement as on_gcp
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.gcp.declared_pools import last
from gpucluster.policies.clouds.kubernetes.pool_labels import SINGLE_NODE, SINGLE_NODE_LABELS
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.clouds.pools import Machines, label_of, without_fabric
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule
from gpucluster.policies.frameworks import AWS_PLACEMENT, AZURE_INFINIBAND, GKE_PLACEMENT

# EC2 page "Capacity Blocks for ML": instances of one block.
_MOST_IN_A_BLOCK: Final = 64


def _aws(stack: Stack) -> Iterator[Finding]:
    for pool in aws.training_pools(stack.resources):
        yield from _aws_pool(pool, stack.resources)
    for machines in aws.machines_of(stack.resources):
        yield from without_fabric(machines)


def _aws_pool(pool: tuple[aws.AwsMachines, ...], resources: Resources) -> Iterator[Finding]:
    nowhere: list[aws.AwsMachines] = []
    domains: list[on_aws.Group | on_aws.Reservation | Unknown] = []
    for machines in pool:
        group, reservation = _placement(machines, resources)
        if isinstance(group, on_aws.Group):
            domains.append(group)
            yield from _cluster_strategy(machines, group)
        elif machines.template is UNKNOWN:
            domains.append(UNKNOWN)
            yield machines.template_not_visible()
        elif isinstance(reservation, on_aws.Reservation) and on_aws.outside_a_group(reservation):
            domains.append(UNKNOWN)
            yield CannotTell(machines.resource, f"{_domain_name(reservation)} is declared without a placement group")
        elif isinstance(reservation, on_aws.Reservation):
            domains.append(reservation)
            yield from _block(machines, reservation)
        elif reservation is None and group is None:
            nowhere.append(machines)
        else:
            domains.append(UNKNOWN)
            yield CannotTell(machines.resource, "the placement of its launch template is not known yet")
    if nowhere:
        where = "no placement group and no reservation"
        if any(machines.resource.type == aws.NODE_GROUP and machines.template is None for machines in nowhere):
            where += ": the group has no launch template"
        yield nowhere[0].finding(f"{label_of(tuple(nowhere))}, {where}")
    elif UNKNOWN not in domains:
        known = [domain for domain in domains if domain is not UNKNOWN]
        names = {_domain(domain): _domain_name(domain) for domain in known}
        labels = sorted(set(names.values()), key=lambda name: name.replace("`", ""))
        groups = "placement groups" if all(isinstance(domain, on_aws.Group) for domain in known) else None
        yield from _together(pool, {*names}, labels, groups)


def _placement(
    machines: aws.AwsMachines, resources: Resources
) -> tuple[on_aws.Group | Unknown | None, on_aws.Reservation | Unknown | None]:
    own = on_aws.own_group_of(machines.resource, resources) if machines.resource.type != aws.NODE_GROUP else None
    names_one = machines.resource.type in (aws.INSTANCE, aws.SCALING_GROUP)
    reservation = on_aws.reservation_of(machines.resource, resources) if names_one else None
    if not isinstance(machines.template, Resource):
        return own, reservation
    of_template = on_aws.reservation_of(machines.template, resources)
    return (
        own or on_aws.group_of(machines.template, resources),
        reservation if isinstance(reservation, on_aws.Reservation) else of_template,
    )


def _cluster_strategy(machines: aws.AwsMachines, group: on_aws.Group) -> Iterator[Finding]:
    if group.resource is None:
        named = "the placement group" if group.name is UNKNOWN else f"placement group `{group.name}`"
        yield CannotTell(machines.resource, f"{named} is not part of this stack: its strategy is unknown")
        return
    strategy = text(group.resource.inputs, "strategy")
    if strategy is UNKNOWN:
        yield CannotTell(machines.resource, f"the strategy of placement group `{group.resource.name}` is not known yet")
    elif strategy != "cluster":
        yield machines.finding(
            f"{machines.label} in placement group `{group.resource.name}`, whose strategy is `{strategy}`",
            fix="Set the strategy of the placement group to `cluster`.",
        )


def _block(machines: aws.AwsMachines, reservation: on_aws.Reservation) -> Iterator[Finding]:
    """The number of machines in a capacity block is a fixed limit."""
    template = machines.template if isinstance(machines.template, Resource) else machines.resource
    market = text(template.inputs, "instanceMarketOptions", "marketType")
    made = reservation.resource is not None and reservation.resource.type == on_aws.CAPACITY_BLOCK
    if (made or market == "capacity-block") and isinstance(machines.nodes, int) and machines.nodes > _MOST_IN_A_BLOCK:
        yield machines.finding(
            f"{machines.label} in one capacity block, which holds at most {_MOST_IN_A_BLOCK}",
            fix="Use fewer nodes, or several blocks, each with its own pool.",
        )


def _domain(domain: on_aws.Group | on_aws.Reservation) -> str | Unknown:
    if domain.resource is not None:
        return domain.resource.urn
    return domain.name if isinstance(domain, on_aws.Group) else domain.id


def _domain_name(domain: on_aws.Group | on_aws.Reservation) -> str:
    name = domain.resource.name if domain.resource is not None else _domain(domain)
    kind = "" if isinstance(domain, on_aws.Group) else "reservation "
    return f"{kind}`{name}`" if isinstance(name, str) else f"{kind}not known yet"


# GKE page "Define compact placement for GKE nodes".
_MOST_NODES: Final = 1500


def _gcp(stack: Stack) -> Iterator[Finding]:
    for pool in gcp.training_pools(stack.resources):
        yield from _gcp_pool(pool, stack.resources)
    for nodes in gcp.machines_of(stack.resources):
        yield from without_fabric(nodes)


def _gcp_pool(pool: tuple[gcp.NodePool, ...], resources: Resources) -> Iterator[Finding]:
    nowhere: list[gcp.NodePool] = []
    domains: list[on_gcp.Policy | on_gcp.Reservation | Unknown] = []
    for nodes in pool:
        policy, reservation = (
            on_gcp.policy_of(nodes.declared, resources),
            on_gcp.reservation_of(nodes.declared, resources),
        )
        if isinstance(reservation, on_gcp.Reservation):
            domains.append(reservation)
            yield from _dense(nodes, reservation)
        elif isinstance(policy, on_gcp.Policy):
            domains.append(policy)
            yield from _compact(nodes, policy)
        elif policy is UNKNOWN or reservation is UNKNOWN:
            domains.append(UNKNOWN)
            yield CannotTell(nodes.resource, "its placement is not known yet")
        elif nodes.declared.flexible:
            domains.append(UNKNOWN)
            yield CannotTell(
                nodes.resource, f"{nodes.label} by flex-start: Google Cloud places them as close together as it can"
            )
        else:
            nowhere.append(nodes)
    if nowhere:
        yield nowhere[0].finding(f"{label_of(nowhere)}, no compact placement policy and no specific reservation")
    elif UNKNOWN not in domains:
        known = [domain for domain in domains if domain is not UNKNOWN]
        names = {_policy_or_reservation(nodes, domain): domain.label for nodes, domain in zip(pool, known, strict=True)}
        policies = "placement policies" if all(isinstance(domain, on_gcp.Policy) for domain in known) else None
        yield from _together(pool, {*names}, sorted(names.values()), policies)


def _dense(pool: gcp.NodePool, reservation: on_gcp.Reservation) -> Iterator[Finding]:
    """A reservation is one domain if it was deployed densely; its blocks and those of a calendar always are."""
    if reservation.block:
        return
    made = reservation.resource
    if made is None:
        yield CannotTell(pool.resource, f"whether {reservation.label} is densely deployed is unknown")
        return
    future = made.type == on_gcp.FUTURE_RESERVATION
    deployed = text(made.inputs, "deploymentType") if future else None
    if UNKNOWN in (deployed, text(made.inputs, "reservationMode")):
        yield CannotTell(pool.resource, f"the deployment type of {reservation.label} is not known yet")
    elif deployed != "DENSE" and not (future and text(made.inputs, "reservationMode") == "CALENDAR"):
        yield pool.finding(
            f"{pool.label} in {reservation.label}, which is not densely deployed",
            fix="Use a future reservation with deployment_type DENSE or in calendar mode, or remove the reservation "
            "and set placement_policy type COMPACT.",
        )


def _compact(pool: gcp.NodePool, policy: on_gcp.Policy) -> Iterator[Finding]:
    if isinstance(pool.nodes, int) and pool.nodes > _MOST_NODES:
        yield pool.finding(
            f"{pool.label} in {policy.label}; one policy supports {_MOST_NODES:,}",
            fix="Use fewer nodes, or a densely deployed reservation.",
        )
    if policy.resource is None:
        if policy.name is not None:
            yield CannotTell(pool.resource, f"{policy.label} is not part of this stack: its collocation is unknown")
        return
    if policy.collocated is None:
        yield CannotTell(pool.resource, f"the collocation of {policy.label} is not known yet")
    elif not policy.collocated:
        yield pool.finding(
            f"{pool.label} in {policy.label}, which does not set collocation COLLOCATED",
            fix="Set group_placement_policy.collocation of the ResourcePolicy to COLLOCATED.",
        )


def _policy_or_reservation(pool: gcp.NodePool, domain: on_gcp.Policy | on_gcp.Reservation) -> str | Unknown:
    if domain.resource is not None:
        return domain.resource.urn
    if isinstance(domain, on_gcp.Reservation):
        return domain.path if domain.path is UNKNOWN else last(domain.path)
    return f"{pool.resource.urn}/{pool.name}" if domain.name is None else domain.name


_LIMIT: Final = "scaleSetLimit"
_USUAL_LIMIT: Final = 100
_RAISED_LIMIT: Final = 300


def _azure(stack: Stack) -> Iterator[Finding]:
    """Nodes of one training pool share one InfiniBand fabric: that of one virtual machine scale set.

    A proximity placement group is not a fabric: it keeps machines in one data centre without any effect on InfiniBand.
    Sources: Azure page "Set up InfiniBand on HPC VMs", for the scale set and its maximum size; AKS release notes of
    2022-04, for one scale set per node pool that AKS keeps in a single placement group.
    """
    for nodes in azure.fabric_pools(stack.resources):
        if nodes.infiniband:
            yield from _scale_set(nodes)
    for pool in azure.training_pools(stack.resources):
        yield from _azure_pool(pool, stack)
    yield from karpenter_findings(stack.resources)


def _scale_set(nodes: azure.AgentPool) -> Iterator[Finding]:
    """Also for a single node: the pool may grow, and its size includes the cost of InfiniBand."""
    kind = nodes.declared.kind
    if kind is UNKNOWN or kind is None:
        state = "is not known yet" if kind is UNKNOWN else "is not given"
        of = "the type of the node pool" if nodes.declared.managed else "the orchestration mode of the scale set"
        yield CannotTell(nodes.resource, f"{nodes.label}: {of} {state}")
    elif kind != SCALE_SETS and not nodes.declared.managed:
        yield nodes.finding(
            f"{nodes.label} in a scale set of {kind}, which has no InfiniBand",
            fix="Set orchestrationMode to Uniform and singlePlacementGroup to true.",
        )
    elif kind != SCALE_SETS:
        yield nodes.finding(f"{nodes.label} of type {kind}, which is not a scale set and has no InfiniBand domain")


def _azure_pool(pool: tuple[azure.AgentPool, ...], stack: Stack) -> Iterator[Finding]:
    first = pool[0]
    if not isinstance(first.machine, str):
        yield CannotTell(first.resource, "whether its VM size has InfiniBand is not known yet")
    elif not first.infiniband:
        yield first.finding(f"{label_of(pool)}, which has no InfiniBand (no r in its name)")
    else:
        if len(pool) > 1:
            yield first.finding(
                f"{label_of(pool)} in {len(pool)} node pools: each is a scale set with its own InfiniBand domain",
                fix="Use one node pool for all nodes, spares included, or give each its own gpucluster/pool label if "
                "no job spans them.",
            )
        for nodes in pool:
            yield from _holds(nodes, _limit(nodes.resource, stack))


def _holds(nodes: azure.AgentPool, limit: int | Unknown) -> Iterator[Finding]:
    if limit is UNKNOWN:
        yield CannotTell(nodes.resource, f"{_LIMIT} is not known yet")
    elif isinstance(nodes.nodes, int) and nodes.nodes > limit:
        raised = f"; support raises {_USUAL_LIMIT} to {_RAISED_LIMIT}" if limit < _RAISED_LIMIT else ""
        yield nodes.finding(
            f"{nodes.label} in one scale set, which holds at most {limit} with InfiniBand{raised}",
            fix=f"Use fewer nodes; once support has raised the limit, set it as fact or setting {_LIMIT}.",
        )


def _limit(resource: Resource, stack: Stack) -> int | Unknown:
    """The pack's setting, else the nearest component's, else the limit of every subscription."""
    limit = whole(stack.config, _LIMIT)
    by_urn = {each.component.urn: each.facts.scale_set_limit for each in read_registered_facts(stack.resources)}
    for parent in stack.resources.parents(resource):
        limit = by_urn.get(parent.urn) if limit is None else limit
    return limit if limit is UNKNOWN else min(limit or _USUAL_LIMIT, _RAISED_LIMIT)


def _together(
    pool: Sequence[Machines], identities: set[str | Unknown], labels: list[str], kind: str | None
) -> Iterator[Finding]:
    """Whether all parts of a pool have the same placement. kind: what two of them are, if certainly two domains."""
    if len(identities) < 2 and (len(pool) < 2 or UNKNOWN not in identities):
        return
    if kind is not None and UNKNOWN not in identities:
        yield pool[0].finding(f"{label_of(pool)} in {len(identities)} {kind}: {', '.join(labels)}")
    else:
        yield CannotTell(pool[0].resource, f"whether {label_of(pool)} are co-located is unknown: {', '.join(labels)}")


RULE: Final = StackRule(
    name="training-pool-in-one-domain",
    title="Nodes of one training pool share a co-location domain",
    why="Nodes in different parts of the data centre lose the fabric's bandwidth: every all-reduce waits, and with "
    "it every GPU you pay for.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=10,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT, AZURE_INFINIBAND),
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/placementGroup:PlacementGroup",
            fix="Create a placement group with strategy `cluster` and set it in the launch template "
            "(placement.groupName), or target a capacity block, or a reservation created in such a group, there "
            "(capacityReservationSpecification); use one for the whole pool. If nodes do not train together, give "
            f'their node groups different labels `gpucluster/pool`, or the label {SINGLE_NODE}: "true".',
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=f"{gcp.READS}, gcp:compute/resourcePolicy:ResourcePolicy, {on_gcp.RESERVATION}, "
            f"{on_gcp.FUTURE_RESERVATION}",
            fix="Set placement_policy type COMPACT on the node pool (with policy_name, one ResourcePolicy with "
            "collocation COLLOCATED for all of its node pools), or set reservation_affinity to a densely deployed "
            f'reservation; or give nodes for single-node jobs the label {SINGLE_NODE}: "true".',
        ),
        azure=CloudCheck(
            check=_azure,
            reads=f"{azure.READS}, kubernetes:karpenter.sh/v1:NodePool, the fact {_LIMIT}",
            fix=f"Use one AgentPool of type {SCALE_SETS} with a size that has InfiniBand (an r in its name, such as "
            f'Standard_ND96isr_H100_v5); give nodes for single-node jobs the label {SINGLE_NODE}: "true".',
        ),
        template=True,
    ),
    config={
        _LIMIT: {
            "type": "integer",
            "description": "Azure: limit of virtual machines in one scale set with InfiniBand, in this subscription",
            "minimum": _USUAL_LIMIT,
            "maximum": _RAISED_LIMIT,
        },
        SINGLE_NODE_LABELS: {
            "type": "array",
            "description": f"Further labels, KEY=VALUE, of nodes for single-node jobs, beside {SINGLE_NODE}=true",
            "items": {"type": "string"},
        },
    },
)

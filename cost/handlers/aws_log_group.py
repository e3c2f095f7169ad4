"""CloudWatch log groups, with what is assumed of those that the logs of a cluster and of its network go to."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import CannotPrice, Pricing
from gpucluster.program.resources import Resource

_GROUP: Final = "aws:cloudwatch/logGroup:LogGroup"
_FLOW_LOG: Final = "aws:ec2/flowLog:FlowLog"
_CLUSTER: Final = "aws:eks/cluster:Cluster"
_STACK: Final = "pulumi:pulumi:Stack"
_NODES: Final = "aws:eks/nodeGroup:NodeGroup"
_LEAVES: Final = "storage of kept logs is not in the total"


@prices(_GROUP)
def log_group(item: Pricing) -> Iterator[CostLine]:
    """GiB ingested (CloudWatch price page): `log_gib`, else an assumption if a cluster sends its logs there."""
    name = item.resource.inputs.get("name")
    cluster = next(
        (
            one
            for one in item.resources.of_type(_CLUSTER)
            if _own_group(one) == name and item.of(one).items("enabledClusterLogTypes")
        ),
        None,
    )
    flows = any(item.resources.referred(one, "logDestination", _GROUP) is item.resource
                for one in item.resources.of_type(_FLOW_LOG))  # fmt: skip
    pods_of = next((one for one in item.resources.of_type(_CLUSTER) if _group_of_pods(one) ==
                    item.resource.inputs.get("name")), None)  # fmt: skip
    if pods_of is not None:
        yield _taken_in(item, "Pod logs ingested", pods_of, "pod_log_gib_per_node")
    elif cluster is not None:
        yield control_plane_logs(item, cluster)
    elif flows:
        yield _taken_in(item, "Flow logs ingested", None, "flow_log_gib_per_node")
    else:
        price = item.price("cloudwatch-logs-ingest", "GiB")
        yield item.by_usage("Logs ingested", "log_gib", price, leaves=_LEAVES)


def control_plane_logs(item: Pricing, cluster: Resource) -> CostLine:
    """What an EKS control plane writes, by its nodes."""
    return _taken_in(item, "Control-plane logs ingested", cluster, "eks_log_gib_per_node", "eks_log_gib")


def has_own_group(item: Pricing) -> bool:
    """Whether the stack declares the log group that a cluster writes to, which is priced by itself then."""
    return any(found.inputs.get("name") == _own_group(item.resource) for found in item.resources.of_type(_GROUP))


def _around(item: Pricing, resource: Resource) -> str | None:
    """URN of the outermost component around a resource, None without one."""
    around = [one.urn for one in item.resources.parents(resource) if not one.custom and one.type != _STACK]
    return around[-1] if around else None


def _own_group(cluster: Resource) -> str:
    return f"/aws/eks/{cluster.inputs.get('name')}/cluster"


def _group_of_pods(cluster: Resource) -> str:
    """As Container Insights names it (Amazon CloudWatch user guide, Container-Insights-setup-logs-FluentBit)."""
    return f"/aws/containerinsights/{cluster.inputs.get('name')}/application"


def _taken_in(item: Pricing, name: str, cluster: Resource | None, each: str, base: str = "") -> CostLine:
    """GiB of a base and of each node; `log_gib`, where it is set, takes their place."""
    price = item.price("cloudwatch-logs-ingest", "GiB")
    if item.assumptions.log_gib:
        return item.by_usage(name, "log_gib", price, leaves=_LEAVES)
    nodes, used = _nodes(item, cluster), tuple(filter(None, (base, each)))
    gib = nodes * item.assumptions.amount(each) + (item.assumptions.amount(base) if base else Decimal(0))
    said = ", ".join(item.assumptions.said(one) for one in used)
    return item.line(
        name,
        gib,
        price,
        basis=f"{plain(gib)} GiB",
        assumption=f"our estimate for {plain(nodes)} nodes: {said}; {_LEAVES}",
        usage=("log_gib", *used),
    )


def _nodes(item: Pricing, cluster: Resource | None) -> Decimal:
    """Nodes of one cluster's node groups, or of those within the same outermost component, which flow logs are of."""
    total, around = Decimal(0), _around(item, item.resource)
    for group in item.resources.of_type(_NODES):
        of = item.resources.referred(group, "clusterName", _CLUSTER)
        if of in (cluster, None) if cluster is not None else _around(item, group) == around:
            try:
                total += item.of(group).number("scalingConfig", "desiredSize")
            except CannotPrice:  # it is named with its own resource
                continue
    return total

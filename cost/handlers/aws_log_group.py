"""CloudWatch log groups, with what is assumed of those that the logs of a cluster and of its network go to."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import CostLine
from gpucluster.cost.subject import CannotPrice, Subject
from gpucluster.program.resources import Resource

__all__ = ["control_plane_logs", "has_own_group"]

_GROUP: Final = "aws:cloudwatch/logGroup:LogGroup"
_FLOW_LOG: Final = "aws:ec2/flowLog:FlowLog"
_CLUSTER: Final = "aws:eks/cluster:Cluster"
_STACK: Final = "pulumi:pulumi:Stack"
_NODES: Final = "aws:eks/nodeGroup:NodeGroup"
_LEAVES: Final = "storage of kept logs is not in the total"


@prices(_GROUP)
def log_group(ask: Subject) -> Iterator[CostLine]:
    """GiB taken in (CloudWatch price page): `log_gib`, else what is assumed where a cluster's logs go there."""
    cluster = next((one for one in ask.resources.of_type(_CLUSTER) if _own_group(one) == ask.resource.inputs.get("name")
                    and ask.of(one).items("enabledClusterLogTypes")), None)  # fmt: skip
    flows = any(ask.resources.referred(one, "logDestination", _GROUP) is ask.resource
                for one in ask.resources.of_type(_FLOW_LOG))  # fmt: skip
    pods_of = next((one for one in ask.resources.of_type(_CLUSTER) if _group_of_pods(one) ==
                    ask.resource.inputs.get("name")), None)  # fmt: skip
    if pods_of is not None:
        yield _taken_in(ask, "Pod logs taken in", pods_of, "pod_log_gib_per_node")
    elif cluster is not None:
        yield control_plane_logs(ask, cluster)
    elif flows:
        yield _taken_in(ask, "Flow logs taken in", None, "flow_log_gib_per_node")
    else:
        price = ask.price("cloudwatch-logs-ingest", "GiB")
        yield ask.by_usage("Logs taken in", "log_gib", price, leaves=_LEAVES)


def control_plane_logs(ask: Subject, cluster: Resource) -> CostLine:
    """What an EKS control plane writes, by its nodes."""
    return _taken_in(ask, "Control-plane logs taken in", cluster, "eks_log_gib_per_node", "eks_log_gib")


def has_own_group(ask: Subject) -> bool:
    """Whether the stack declares the log group that a cluster writes to, which is priced by itself then."""
    return any(found.inputs.get("name") == _own_group(ask.resource) for found in ask.resources.of_type(_GROUP))


def _around(ask: Subject, resource: Resource) -> str | None:
    """URN of the outermost component around a resource, None without one."""
    around = [one.urn for one in ask.resources.parents(resource) if not one.custom and one.type != _STACK]
    return around[-1] if around else None


def _own_group(cluster: Resource) -> str:
    return f"/aws/eks/{cluster.inputs.get('name')}/cluster"


def _group_of_pods(cluster: Resource) -> str:
    """As Container Insights names it (Amazon CloudWatch user guide, Container-Insights-setup-logs-FluentBit)."""
    return f"/aws/containerinsights/{cluster.inputs.get('name')}/application"


def _taken_in(ask: Subject, name: str, cluster: Resource | None, each: str, base: str = "") -> CostLine:
    """GiB of a base and of each node; `log_gib`, where it is set, takes their place."""
    price = ask.price("cloudwatch-logs-ingest", "GiB")
    if ask.assumptions.log_gib:
        return ask.by_usage(name, "log_gib", price, leaves=_LEAVES)
    nodes, used = _nodes(ask, cluster), tuple(filter(None, (base, each)))
    gib = nodes * ask.assumptions.amount(each) + (ask.assumptions.amount(base) if base else Decimal(0))
    said = ", ".join(ask.assumptions.said(one) for one in used)
    return ask.line(
        name,
        gib,
        price,
        basis=f"{plain(gib)} GiB",
        assumption=f"our estimate for {plain(nodes)} nodes: {said}; {_LEAVES}",
        usage=("log_gib", *used),
    )


def _nodes(ask: Subject, cluster: Resource | None) -> Decimal:
    """Nodes of one cluster's node groups, or of those within the same outermost component, which flow logs are of."""
    total, around = Decimal(0), _around(ask, ask.resource)
    for group in ask.resources.of_type(_NODES):
        of = ask.resources.referred(group, "clusterName", _CLUSTER)
        if of in (cluster, None) if cluster is not None else _around(ask, group) == around:
            try:
                total += ask.of(group).number("scalingConfig", "desiredSize")
            except CannotPrice:  # it is named with its own resource
                continue
    return total

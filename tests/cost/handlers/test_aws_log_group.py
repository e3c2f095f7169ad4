"""Log groups: what is taken for granted of those that a cluster and its network write to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
GROUP = "aws:cloudwatch/logGroup:LogGroup"


def _stack(make: Make) -> list[Resource]:
    cluster = make("aws:eks/cluster:Cluster", "c", name="one", version="1.35", enabledClusterLogTypes=["audit"])
    nodes = make("aws:eks/nodeGroup:NodeGroup", "n", instanceTypes=["m6i.large"], diskSize=20,
                 scalingConfig={"desiredSize": 10}, dependencies={"clusterName": cluster})  # fmt: skip
    flows = make(GROUP, "flows")
    return [cluster, nodes, make(GROUP, "control", name="/aws/eks/one/cluster"), flows, make(GROUP, "other"),
            make("aws:ec2/flowLog:FlowLog", "f", dependencies={"logDestination": flows})]  # fmt: skip


def _logs(found: Estimate) -> list[tuple[str, str, str, bool]]:
    return sorted(
        (found.names[line.urn], line.name, f"{line.monthly}", line.by_usage) for line in found.lines
        if "ogs ingested" in line.name
    )  # fmt: skip


def test_logs_of_a_control_plane_and_of_a_network_are_estimated_by_the_nodes(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_stack(make))
    assert _logs(found) == [
        ("control", "Control-plane logs ingested", "7.00", False),  # 9 GiB and half a GiB for each of 10 nodes
        ("flows", "Flow logs ingested", "1.00", False),
        ("other", "Logs ingested", "0.00", True),
    ]
    assert any(
        text.startswith("our estimate for 10 nodes: eks_log_gib: 9 GiB a month of logs of each EKS control plane")
        for text in found.assumptions
    )


def test_the_estimate_gives_way_to_what_usage_says_and_can_be_switched_off(make: Make, cost_of: CostOf) -> None:
    def cost(**usage: str) -> list[Any]:
        found = cost_of(*_stack(make), assumptions=Assumptions().with_values(usage))
        return [(name, monthly) for name, _, monthly, _ in _logs(found)]

    assert cost(log_gib="100") == [("control", "50.00"), ("flows", "50.00"), ("other", "50.00")]
    assert cost(eks_log_gib="0", eks_log_gib_per_node="0", flow_log_gib_per_node="1") == [
        ("control", "0.00"), ("flows", "5.00"), ("other", "0.00"),
    ]  # fmt: skip


def test_what_pods_print_is_estimated_by_the_nodes(make: Make, cost_of: CostOf) -> None:
    [cluster, nodes, *_] = _stack(make)
    group = make(GROUP, "pods", name="/aws/containerinsights/one/application")
    assert _logs(cost_of(cluster, nodes, group))[1:] == [("pods", "Pod logs ingested", "20.00", False)]

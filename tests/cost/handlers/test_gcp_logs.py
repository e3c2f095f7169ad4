"""Logs of Google Cloud: what is taken for granted of a cluster and of the subnets that its nodes are in."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
SUBNET = "gcp:compute/subnetwork:Subnetwork"


def _stack(make: Make, *, nodes: int) -> list[Resource]:
    nodes_net = make(SUBNET, "nodes", region="us-central1", logConfig={"flowSampling": 0.5})
    cluster = make("gcp:container/cluster:Cluster", "c", location="us-central1", removeDefaultNodePool=True,
                   initialNodeCount=1, loggingConfig={"enableComponents": ["SYSTEM_COMPONENTS"]},
                   dependencies={"subnetwork": nodes_net})  # fmt: skip
    pool = make("gcp:container/nodePool:NodePool", "p", location="us-central1-a", nodeCount=nodes,
                nodeConfig={"machineType": "e2-standard-4"}, dependencies={"cluster": cluster})  # fmt: skip
    return [nodes_net, cluster, pool, make(SUBNET, "fabric", region="us-central1")]


def _logs(found: Estimate) -> list[tuple[str, str, str, bool]]:
    return sorted(
        (found.names[line.urn], f"{line.quantity.normalize():f}", f"{line.monthly}", line.by_usage)
        for line in found.lines
        if "ogs ingested" in line.name or line.name == "Cloud Logging"
    )


def test_few_nodes_log_less_than_is_free_and_that_is_said(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_stack(make, nodes=10))
    assert _logs(found) == [("c", "0", "0.00", True), ("nodes", "8", "2.00", False)]
    assert (
        "our estimate for 10 nodes of c: gke_log_gib_per_node: 1 GiB a month of logs of the system on each GKE node, "
        "within the 50 GiB that are free in each project"
    ) in found.assumptions
    assert (
        "our estimate for 10 nodes: gke_flow_log_gib_per_node: 0.8 GiB a month of flow logs for each GKE node; the "
        "fee of Network Telemetry for generating them is not in the total"
    ) in found.assumptions


def test_of_many_nodes_what_is_above_the_free_part_is_billed(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_stack(make, nodes=150))
    assert _logs(found) == [("c", "100", "50.00", False), ("nodes", "120", "30.00", False)]


def test_the_estimate_gives_way_to_what_usage_says_and_can_be_switched_off(make: Make, cost_of: CostOf) -> None:
    def cost(**usage: str) -> list[tuple[str, str]]:
        found = cost_of(*_stack(make, nodes=10), assumptions=Assumptions().with_values(usage))
        return [(name, monthly) for name, _, monthly, _ in _logs(found)]

    assert cost(log_gib="100") == [("c", "50.00"), ("nodes", "25.00")]
    assert cost(gke_log_gib_per_node="0", gke_flow_log_gib_per_node="0") == [("c", "0.00"), ("nodes", "0.00")]


def test_a_subnet_without_flow_logs_is_free(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make(SUBNET, "fabric", region="us-central1"))
    assert (found.lines, [item.type for item in found.free]) == ((), [SUBNET])

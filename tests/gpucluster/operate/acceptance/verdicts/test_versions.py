"""Whether all nodes run the same software."""

from __future__ import annotations

from gpucluster.operate.acceptance.inventory import NodeFacts
from gpucluster.operate.acceptance.verdicts.nodes import judge_versions
from gpucluster.operate.acceptance.verdicts.verdict import Verdict


def node(name: str, **software: str) -> NodeFacts:
    return NodeFacts(name=name, software=software, serials={})


def test_nodes_that_differ_are_named_with_what_differs() -> None:
    nodes = [node("a", driver="580", kernelVersion="6.8"), node("b", driver="580"), node("c", driver="575")]

    assert list(judge_versions(nodes)) == [
        Verdict(
            check="software of the nodes",
            outcome="warn",
            why="driver is 580 on most nodes, but not on these: 575: c",
            nodes=("c",),
        )
    ]


def test_a_node_alone_or_nodes_that_tell_nothing_are_not_judged() -> None:
    assert list(judge_versions([node("a", driver="580")])) == []
    assert list(judge_versions([node("a", driver="580"), node("b")])) == []


def test_nodes_that_run_the_same_pass() -> None:
    (verdict,) = judge_versions([node("a", driver="580"), node("b", driver="580")])

    assert (verdict.outcome, verdict.measured) == ("pass", "2 nodes")

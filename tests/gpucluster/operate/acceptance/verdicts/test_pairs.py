"""Which nodes pairs accuse, and which not."""

from __future__ import annotations

import dataclasses
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.components.shared.machine_choice import shapes
from gpucluster.operate.acceptance.measurements import CollectiveRun, Payload
from gpucluster.operate.acceptance.runs.steps import rounds
from gpucluster.operate.acceptance.verdicts.pairs import judge_pairs
from gpucluster.operate.acceptance.verdicts.verdict import Verdict
from tests.says import Says

P5 = next(row for row in shapes() if row.machine_type == "p5.48xlarge")
NODES = [f"node-{number}" for number in range(1, 9)]


def pair(a: str, b: str, speed: float) -> CollectiveRun:
    return CollectiveRun(
        log="pairs.log",
        line=1,
        tool="nccl-tests",
        payloads=(Payload(size=16 * 2**30, bus_gb_per_s=speed, wrong=0),),
        complete=True,
        nodes=(a, b),
        node_count=2,
        algorithm="ring",
    )


def judged(slow: set[str], met: list[tuple[str, str]]) -> Verdict:
    runs = [pair(a, b, 150.0 if {a, b} & slow else 372.0) for a, b in met]
    verdict = judge_pairs([(run, P5) for run in runs])
    assert verdict is not None
    return verdict


def three_rounds(nodes: list[str]) -> list[tuple[str, str]]:
    return [met for turn in rounds(nodes, 3) for met in turn]


def test_every_pair_fast_passes() -> None:
    assert judged(set(), three_rounds(NODES)).outcome == "pass"


@given(slow=st.sets(st.sampled_from(NODES), min_size=1, max_size=2))
def test_one_or_two_slow_nodes_of_eight_are_named_and_nobody_else(slow: set[str]) -> None:
    verdict = judged(slow, three_rounds(NODES))

    assert (verdict.outcome, verdict.nodes) == ("fail", tuple(sorted(slow)))


def test_all_slow_is_the_fabric_and_not_one_node() -> None:
    verdict = judged(set(NODES), three_rounds(NODES))

    assert verdict.why == Says("not", "placement", "drivers")


def test_a_slow_pair_of_nodes_that_are_fast_with_others_is_a_link() -> None:
    met = three_rounds(NODES)
    runs = [pair(a, b, 150.0 if (a, b) == met[0] else 372.0) for a, b in met]

    verdict = judge_pairs([(run, P5) for run in runs])

    assert verdict is not None
    assert verdict.why == Says(f"{met[0][0]}", f"{met[0][1]}", "only")


def test_a_slow_pair_alone_accuses_neither_and_says_whom_to_measure_next() -> None:
    slow = (pair("a", "b", 150.0), P5)

    alone = judge_pairs([slow])
    beside = judge_pairs([slow, (pair("c", "d", 372.0), P5)])
    among = judge_pairs([slow], others=["a", "b", "e"])

    assert alone and beside and among
    assert [(one.outcome, one.nodes, one.together) for one in (alone, beside, among)] == [
        ("fail", (), ()),
        ("fail", (), (("a", "c"), ("b", "d"))),
        ("fail", (), (("a", "e"), ("b", "e"))),
    ]
    assert alone.why == Says("a", "b", "third node")


def test_the_runs_that_it_asked_for_name_the_node() -> None:
    slow = [(pair("a", "b", 150.0), P5), (pair("c", "d", 372.0), P5)]

    for bad, partner in (("a", "c"), ("b", "d")):
        answers = [(pair(node, of, 150.0 if node == bad else 372.0), P5) for node, of in (("a", "c"), ("b", "d"))]
        verdict = judge_pairs([*slow, *answers])
        assert verdict is not None
        assert (verdict.outcome, verdict.nodes, verdict.together) == ("fail", (bad,), ())
        assert verdict.why == Says(bad, partner, "docs/operate/replacing-a-node.md")


def test_a_fast_ring_of_fewer_than_two_pairs_has_no_verdict_of_its_own() -> None:
    assert judge_pairs([(pair("a", "b", 372.0), P5)]) is None


def ring(nodes: list[str], bad: set[str]) -> CollectiveRun:
    run = pair("a", "b", 150.0 if bad & set(nodes) else 372.0)
    return dataclasses.replace(run, nodes=tuple(nodes), node_count=len(nodes))


@given(count=st.integers(min_value=2, max_value=40), data=st.data())
@settings(max_examples=50, deadline=None)
def test_halves_find_the_one_slow_node_in_about_log2_rounds(count: int, data: st.DataObject) -> None:
    nodes = [f"n{number:02}" for number in range(count)]
    bad = data.draw(st.sampled_from(nodes))
    runs = [(ring(nodes, {bad}), P5)]
    for _ in range(count.bit_length()):
        verdict = judge_pairs(runs, others=["spare"])
        assert verdict is not None
        runs += [(ring(list(group), {bad}), P5) for group in verdict.together]

    verdict = judge_pairs(runs, others=["spare"])
    assert verdict is not None
    assert (verdict.nodes, verdict.together) == ((bad,), ())


def test_a_ring_that_is_slow_though_each_of_its_nodes_is_fast_with_others_is_the_network_between_them() -> None:
    runs = [ring(["a", "b", "c", "d"], {"a"}), ring(["a", "b"], set()), ring(["c", "d"], set())]
    verdict = judge_pairs([(run, P5) for run in runs])

    assert verdict is not None
    assert (verdict.outcome, verdict.nodes) == ("fail", ("a", "b", "c", "d"))


def test_unknown_machines_are_not_judged() -> None:
    verdict = judge_pairs([(pair("a", "b", 150.0), None), (pair("c", "d", 150.0), None)])

    assert verdict is not None
    assert verdict.outcome == "cannot tell"


@given(count=st.integers(min_value=2, max_value=33), turns=st.integers(min_value=1, max_value=40))
def test_no_two_nodes_meet_twice_and_none_meets_two_in_a_round(count: int, turns: int) -> None:
    nodes = [f"n{number}" for number in range(count)]

    schedule = list(rounds(nodes, turns))

    met = [frozenset(both) for turn in schedule for both in turn]
    assert len(met) == len(set(met))
    assert all(len({node for both in turn for node in both}) == 2 * len(turn) for turn in schedule)
    if turns >= count:
        assert set(met) == {frozenset(both) for both in combinations(nodes, 2)}

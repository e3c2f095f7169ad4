"""Which nodes pairs accuse, and which not."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
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


def test_a_single_pair_accuses_nobody() -> None:
    assert judge_pairs([(pair("a", "b", 150.0), P5)]) is None


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

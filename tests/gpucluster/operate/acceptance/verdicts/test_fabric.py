"""Where a ring passes, and where nothing can be told."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gpucluster.components.shared.machine_choice import shapes
from gpucluster.operate.acceptance.measurements import CollectiveRun, LogError, Payload
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric, line_rate
from tests.says import Says

MACHINES = {row.machine_type: row for row in shapes()}
P5 = MACHINES["p5.48xlarge"]
LARGE = 16 * 2**30
GOOD = CollectiveRun(
    log="a.log",
    line=1,
    tool="nccl-tests",
    payloads=(Payload(size=LARGE, bus_gb_per_s=360.0, wrong=0),),
    complete=True,
    nodes=("a", "b", "c", "d"),
    node_count=4,
    algorithm="ring",
)


def outcome(speed: float, machine: str = "p5.48xlarge", **changes: Any) -> str:
    run = dataclasses.replace(GOOD, payloads=(Payload(size=LARGE, bus_gb_per_s=speed, wrong=0),), **changes)
    return judge_fabric(run, MACHINES[machine]).outcome


def test_line_rates_are_those_of_the_published_fabrics() -> None:
    names = ("p5.48xlarge", "Standard_ND96isr_H100_v5", "a3-megagpu-8g", "a3-highgpu-8g", "a3-ultragpu-8g")

    assert [line_rate(MACHINES[name]) for name in names] == [400, 400, 200, 100, 400]


@pytest.mark.parametrize(
    ("speed", "machine", "expected"),
    [
        (320.0, "p5.48xlarge", "pass"),
        (319.9, "p5.48xlarge", "fail"),
        (160.0, "a3-megagpu-8g", "pass"),
        (159.9, "a3-megagpu-8g", "fail"),
        (80.0, "a3-highgpu-8g", "pass"),
        (408.0, "p5.48xlarge", "pass"),
        (408.1, "p5.48xlarge", "cannot tell"),
        (39.0, "p5.48xlarge", "fail"),
    ],
)
def test_a_ring_passes_at_eighty_percent_of_line_rate(speed: float, machine: str, expected: str) -> None:
    assert outcome(speed, machine) == expected


@pytest.mark.parametrize(
    ("speed", "expected"), [(400.0, "pass"), (399.9, "warn"), (300.0, "warn"), (299.9, "fail"), (752.0, "pass")]
)
def test_a_default_algorithm_passes_where_a_bound_is_published(speed: float, expected: str) -> None:
    assert outcome(speed, "Standard_ND96isr_H100_v5", algorithm="default") == expected


@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_half_of_the_cards_dead_never_passes_by_a_tree(nodes: int) -> None:
    exceeds = {2: 1.88, 4: 1.29, 8: 1.13}[nodes]

    assert outcome(0.5 * 400 * exceeds, algorithm="tree", node_count=nodes) == "cannot tell"


@pytest.mark.parametrize(
    ("size", "expected"), [(2**30, "cannot tell"), (4 * 10**9 - 1, "cannot tell"), (4 * 10**9, "pass")]
)
def test_a_payload_shows_the_fabric_from_four_gb_on(size: int, expected: str) -> None:
    run = dataclasses.replace(GOOD, payloads=(Payload(size=size, bus_gb_per_s=390.0, wrong=0),))
    assert judge_fabric(run, P5).outcome == expected


def test_the_largest_payload_is_the_one_that_is_judged() -> None:
    speeds = {8 * 10**9: 390.0, 16 * 10**9: 100.0, 4 * 10**9: 390.0, 10**9: 500.0}
    payloads = tuple(Payload(size=size, bus_gb_per_s=speed, wrong=0) for size, speed in speeds.items())
    assert judge_fabric(dataclasses.replace(GOOD, payloads=payloads), P5).measured.startswith("100.0 GB/s")


@pytest.mark.parametrize("changes", [{"node_count": 1, "nodes": ("a",)}, {"complete": False}])
def test_what_is_no_run_over_the_fabric_is_not_judged(changes: dict[str, Any]) -> None:
    assert judge_fabric(dataclasses.replace(GOOD, **changes), P5).outcome == "cannot tell"


def test_a_machine_that_nobody_named_is_asked_for() -> None:
    verdict = judge_fabric(GOOD, None)
    assert (verdict.outcome, "--machine" in verdict.why) == ("cannot tell", True)


WRONG = {"payloads": (Payload(size=LARGE, bus_gb_per_s=390.0, wrong=3),)}
LOGGED = {"errors": (LogError(line=7, text="Call to ibv_modify_qp failed", node="b"),)}


@pytest.mark.parametrize(
    ("changes", "outcome", "names"),
    [
        ({**WRONG, "network": "Socket", **LOGGED}, "fail", "3 elements"),
        ({"network": "Socket", **LOGGED}, "fail", "TCP"),
        ({**LOGGED, "complete": False}, "fail", "ibv_modify_qp"),
        ({"payloads": (), "node_count": 1}, "cannot tell", "no row"),
        ({"collective": None, "complete": False}, "cannot tell", "collective"),
        ({"payloads": (Payload(size=LARGE, bus_gb_per_s=8.0, wrong=0),), "complete": False}, "fail", "TCP"),
        ({"complete": False, "algorithm": "tree"}, "cannot tell", "cut off"),
    ],
)
def test_the_first_of_two_reasons_is_told(changes: dict[str, Any], outcome: str, names: str) -> None:
    verdict = judge_fabric(dataclasses.replace(GOOD, **changes), P5)
    assert (verdict.outcome, names in verdict.why) == (outcome, True)


def test_one_node_over_tcp_is_no_fault_of_the_fabric() -> None:
    assert outcome(450.0, node_count=1, nodes=("a",), network="Socket") == "cannot tell"


@pytest.mark.parametrize(
    ("nodes", "speed", "expected", "share"),
    [(2, 75.0, "measured", "80% of the 94 GB/s"), (4, 51.7, "measured", "80% of the 65 GB/s"), (4, 6.0, "fail", "9%")],
)
def test_an_all_to_all_is_told_as_a_share_of_what_the_cards_allow(
    nodes: int, speed: float, expected: str, share: str
) -> None:
    run = dataclasses.replace(
        GOOD,
        collective="all-to-all",
        algorithm=None,
        payloads=(Payload(size=LARGE, bus_gb_per_s=speed, wrong=0),),
        nodes=tuple("abcd"[:nodes]),
        node_count=nodes,
        gpus=8 * nodes,
    )

    verdict = judge_fabric(run, P5)

    assert (verdict.check, verdict.outcome) == (f"all-to-all, {nodes} nodes", expected)
    assert share in verdict.why


def test_an_all_gather_is_held_against_the_ring_and_never_against_figures_of_an_all_reduce() -> None:
    assert outcome(320.0, collective="all-gather") == "pass"
    assert outcome(319.9, collective="all-gather") == "fail"
    assert outcome(500.0, "Standard_ND96isr_H100_v5", collective="all-gather", algorithm="default") == "cannot tell"


def test_a_collective_that_the_log_does_not_name_is_not_judged() -> None:
    assert outcome(360.0, collective=None) == "cannot tell"


@pytest.mark.parametrize(
    ("speed", "gpus", "expected"),
    [
        (190.0, 16, "cannot tell"),
        (20.0, 8, "cannot tell"),
        (330.0, 16, "pass"),
        (190.0, 32, "fail"),
        (20.0, 32, "fail"),
    ],
)
def test_a_slow_ring_of_some_gpus_of_each_node_says_nothing_of_the_cards(
    speed: float, gpus: int, expected: str
) -> None:
    assert outcome(speed, gpus=gpus) == expected
    run = dataclasses.replace(GOOD, payloads=(Payload(size=LARGE, bus_gb_per_s=190.0, wrong=0),), gpus=16)
    assert judge_fabric(run, P5).why == Says("only 16 of the 32 GPUs", "run it on all GPUs")


def test_a_log_without_a_row_of_numbers_is_told_so() -> None:
    found = judge_fabric(dataclasses.replace(GOOD, payloads=()), P5)
    assert (found.outcome, found.why) == ("cannot tell", Says("no row", "nan or inf"))

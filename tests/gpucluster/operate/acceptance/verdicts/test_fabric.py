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


@pytest.mark.parametrize(
    ("machine", "nodes", "algorithm", "expected"),
    [
        ("p5.48xlarge", 2, "tree", "warn"),  # 77 % of what two nodes published
        ("p5.48xlarge", 4, "tree", "cannot tell"),
        ("p5.48xlarge", 4, "default", "fail"),
        ("p5.48xlarge", 8, None, "fail"),
        ("p5en.48xlarge", 2, "default", "cannot tell"),
        ("p5en.48xlarge", 16, "default", "fail"),
    ],
)
def test_half_of_the_cards_dead_never_passes_whatever_nccl_chose(
    machine: str, nodes: int, algorithm: str | None, expected: str
) -> None:
    """As much as half of the cards can carry."""
    gpus = 8 * nodes
    most = 0.5 * 400 * nodes / (nodes - 1) * (gpus - 1) / gpus

    assert outcome(most, machine, algorithm=algorithm, node_count=nodes, gpus=gpus) == expected


@pytest.mark.parametrize(
    ("speed", "expected"), [(319.9, "fail"), (320.0, "warn"), (412.9, "warn"), (413.4, "pass"), (527.1, "cannot tell")]
)
def test_nccls_own_choice_passes_if_its_speed_takes_four_fifths_of_the_cards(speed: float, expected: str) -> None:
    """Four nodes: 516.7 GB/s take all cards, 413.3 take 80 % of them."""
    assert outcome(speed, algorithm="default", gpus=32) == expected


def test_a_speed_that_the_switches_reached_proves_no_card() -> None:
    assert outcome(500.0, algorithm="default", gpus=32, collnet=True) == "cannot tell"


@pytest.mark.parametrize(
    ("collective", "algorithm", "collnet", "gpus", "speed", "expected"),
    [
        ("all-gather", "default", False, 8, 338.0, "pass"),
        ("reduce-scatter", None, False, 8, 338.0, "pass"),
        ("all-gather", None, False, 8, 170.0, "fail"),
        ("all-gather", "default", True, 8, 338.0, "cannot tell"),
        ("all-gather", "pat", False, 8, 330.0, "cannot tell"),
        ("all-gather", None, False, 1, 310.0, "fail"),  # one GPU a node: may be PAT, and no faster than its card
    ],
)
def test_an_all_gather_without_collnet_is_a_ring(
    collective: str, algorithm: str | None, collnet: bool, gpus: int, speed: float, expected: str
) -> None:
    shape = dataclasses.replace(MACHINES["p5en.48xlarge"], gpus=gpus)
    run = dataclasses.replace(
        GOOD,
        payloads=(Payload(size=LARGE, bus_gb_per_s=speed, wrong=0),),
        gpus=4 * gpus,
        collective=collective,
        algorithm=algorithm,
        collnet=collnet,
    )

    assert judge_fabric(run, shape).outcome == expected


@pytest.mark.parametrize(("speed", "expected"), [(170.0, "pass"), (169.0, "warn"), (160.0, "warn"), (159.0, "fail")])
def test_an_all_gather_below_its_published_figure_is_low_though_it_is_above_the_line_rate(
    speed: float, expected: str
) -> None:
    """Two a3-megagpu-8g publish 188.73 GB/s."""
    changes = {"collective": "all-gather", "algorithm": "default", "nodes": ("a", "b"), "node_count": 2, "gpus": 16}

    assert outcome(speed, "a3-megagpu-8g", **changes) == expected


@pytest.mark.parametrize(
    ("machine", "cards", "expected", "nodes"),
    [
        ("Standard_ND96isr_H100_v5", {"a": 8, "b": 8}, "pass", ()),
        ("Standard_ND96isr_H100_v5", {"a": 8, "b": 4}, "fail", ("b",)),
        ("Standard_ND96isr_H100_v5", {"a": 4, "b": 4}, "fail", ("a", "b")),
        ("p5.48xlarge", {"a": 4, "b": 4}, "pass", ()),  # the plugin counts groups in some releases
        ("p5.48xlarge", {"a": 32, "b": 16}, "fail", ("b",)),
    ],
)
def test_a_node_on_which_nccl_found_fewer_cards_is_named_however_fast_the_run_is(
    machine: str, cards: dict[str, int], expected: str, nodes: tuple[str, ...]
) -> None:
    run = dataclasses.replace(GOOD, nodes=("a", "b"), node_count=2, gpus=16, cards=cards)

    verdict = judge_fabric(run, MACHINES[machine])

    assert (verdict.outcome, verdict.nodes) == (expected, nodes)


def test_cards_of_gpus_that_took_no_part_are_not_missing() -> None:
    run = dataclasses.replace(GOOD, nodes=("a", "b"), node_count=2, gpus=8, cards={"a": 4, "b": 4})

    assert judge_fabric(run, MACHINES["Standard_ND96isr_H100_v5"]).outcome == "pass"


@pytest.mark.parametrize(("speed", "expected"), [(360.0, "pass"), (200.0, "cannot tell"), (30.0, "fail")])
def test_a_log_without_its_list_of_gpus_is_judged_as_if_all_took_part_but_for_a_low_speed(
    speed: float, expected: str
) -> None:
    assert outcome(speed, nodes=(), node_count=None, gpus=32) == expected


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
    [
        (2, 75.0, "pass", "95% of the published 79 GB/s"),
        (2, 40.0, "fail", "51% of the published 79 GB/s"),
        (3, 60.0, "pass", "83% of the 72 GB/s"),
        (3, 50.0, "measured", "70% of the 72 GB/s"),
        (3, 35.0, "fail", "49% of the 72 GB/s"),
        (4, 6.0, "fail", "9%"),
    ],
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
        (190.0, 16, "warn"),
        (150.0, 16, "cannot tell"),
        (20.0, 8, "cannot tell"),
        (9.0, 8, "fail"),
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

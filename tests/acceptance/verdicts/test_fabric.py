"""Where a ring passes, and where nothing can be told."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from gpucluster.acceptance.measured import CollectiveRun, Payload
from gpucluster.acceptance.verdicts.fabric import judge_fabric, line_rate
from gpucluster.components.shapes import shapes

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


def test_a_small_payload_shows_nothing() -> None:
    run = dataclasses.replace(GOOD, payloads=(Payload(size=2**30, bus_gb_per_s=390.0, wrong=0),))

    verdict = judge_fabric(run, P5)

    assert (verdict.outcome, verdict.why) == (
        "cannot tell",
        "the largest payload is 1 GiB, too small to show the fabric; run -b 4G -e 16G",
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"node_count": 1, "nodes": ("a",)}, "one node uses NVLink, not the fabric; run on two or more"),
        ({"complete": False}, "the log or the run was cut off; run it again"),
    ],
)
def test_what_is_no_run_over_the_fabric_is_not_judged(changes: dict[str, Any], why: str) -> None:
    verdict = judge_fabric(dataclasses.replace(GOOD, **changes), P5)

    assert (verdict.outcome, verdict.why) == ("cannot tell", why)


def test_a_machine_that_nobody_named_is_asked_for() -> None:
    verdict = judge_fabric(GOOD, None)

    assert (verdict.outcome, verdict.why) == (
        "cannot tell",
        "the log does not contain the machine type; add --machine, such as p5.48xlarge",
    )


def test_one_node_over_tcp_is_no_fault_of_the_fabric() -> None:
    assert outcome(450.0, node_count=1, nodes=("a",), network="Socket") == "cannot tell"


@pytest.mark.parametrize(
    ("nodes", "speed", "expected", "why"),
    [
        (2, 75.0, "measured", "80% of the 94 GB/s that the cards allow; no published figure to compare with"),
        (4, 51.7, "measured", "80% of the 65 GB/s that the cards allow; no published figure to compare with"),
        (4, 6.0, "fail", None),
    ],
)
def test_an_all_to_all_is_told_as_a_share_of_what_the_cards_allow(
    nodes: int, speed: float, expected: str, why: str | None
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
    assert why is None or verdict.why == why


def test_an_all_gather_is_held_against_the_ring_and_never_against_figures_of_an_all_reduce() -> None:
    assert outcome(320.0, collective="all-gather") == "pass"
    assert outcome(319.9, collective="all-gather") == "fail"
    assert outcome(500.0, "Standard_ND96isr_H100_v5", collective="all-gather", algorithm="default") == "cannot tell"


def test_a_collective_that_the_log_does_not_name_is_not_judged() -> None:
    assert outcome(360.0, collective=None) == "cannot tell"

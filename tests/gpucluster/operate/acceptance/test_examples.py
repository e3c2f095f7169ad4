"""Each example log tells its story."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.components.shared.machine_choice import shapes
from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.judge import completed, judge
from gpucluster.operate.acceptance.logs import read_log
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.verdicts.commitments import Promises
from tests.says import Says

EXAMPLES = Path(__file__).parents[4] / "examples/acceptance"
SLOW, BUSY = "ip-10-0-64-16.ec2.internal", "ip-10-0-64-17.ec2.internal"


def judged(name: str, machine: str | None = None, algorithm: str | None = None) -> list[tuple[str, str, str]]:
    """(check, outcome, why) of each verdict."""
    path = EXAMPLES / name
    log = read_log(path, path.read_text())
    if algorithm:
        log = Log(log.name, completed(log.measurements, algorithm=algorithm, collective=None), log.damages)
    return [(v.check, v.outcome, v.why) for v in judge([log], machine=shape(machine), promises=Promises())]


def shape(machine: str | None) -> Machine | None:
    return next((row for row in shapes() if row.machine_type == machine), None)


def test_a_healthy_ring_passes() -> None:
    assert judged("p5-ring-healthy.log") == [("all-reduce, 8 nodes", "pass", "93% of line rate by ring")]


def test_half_of_the_cards_dead_fails_and_says_how_many_carry() -> None:
    assert judged("ndv5-half-of-the-cards.json", "Standard_ND96isr_H100_v5") == [
        (
            "slow node",
            "fail",
            Says("one", "next", *(f"aks-training-20417311-vmss00000{number}" for number in range(8))),
        ),
        ("all-reduce, 8 nodes", "fail", Says("46%", "only", "4", "8")),
    ]


def test_one_slow_node_of_eight_is_named() -> None:
    pairs, *slow = judged("p5-pairs-one-slow.log")

    partners = ", ".join(f"ip-10-0-64-{number}.ec2.internal" for number in (11, 13, 18))
    assert pairs == ("pairs", "fail", Says(f"{SLOW}", partners, "docs/operate/replacing-a-node.md"))
    assert [(check, outcome) for check, outcome, _ in slow] == [("all-reduce, 2 nodes", "fail")] * 3


def test_two_slow_nodes_of_eight_are_both_named() -> None:
    pairs, *slow = judged("p5-pairs-two-slow.log")

    assert pairs[:2] == ("pairs", "fail")
    assert pairs[2].startswith("ip-10-0-64-13.ec2.internal is slow with ")
    assert f"; {BUSY} is slow with " in pairs[2]
    assert len(slow) == 6


def test_tcp_is_a_fabric_that_is_off() -> None:
    assert judged("a3-mega-tcp-fallback.log", "a3-megagpu-8g", "ring") == [
        ("all-reduce, 2 nodes", "fail", Says("GPU", "NCCL", "Using", "Socket", "TCP", "not", "FasTrak"))
    ]


def test_a_log_that_was_cut_off_tells_nothing() -> None:
    assert judged("a3-mega-cut-off.log", "a3-megagpu-8g") == [
        ("all-reduce, 4 nodes", "cannot tell", Says("4 GB", "cut off"))
    ]


def test_an_error_in_the_middle_fails_and_names_the_node_whose_card_it_was() -> None:
    path = EXAMPLES / "ndv5-error-in-the-middle.log"
    (verdict,) = judge([read_log(path, path.read_text())], machine=None, promises=Promises())

    assert (verdict.outcome, verdict.nodes) == ("fail", ("aks-training-20417311-vmss000002",))
    assert verdict.why.startswith("line 47: ")
    assert "status=12" in verdict.why


def test_wrong_sums_fail_however_fast() -> None:
    assert judged("p5-wrong-results.log") == [("all-reduce, 2 nodes", "fail", Says("34", "4", "GiB", "GPU", "NVLink"))]


def test_a_default_algorithm_is_held_against_what_was_published() -> None:
    assert [judged(name, machine)[0][1] for name, machine in (
        ("ndv5-default-two-nodes.log", "Standard_ND96isr_H100_v5"),
        ("p5-default-two-nodes.log", "p5.48xlarge"),
    )] == ["pass", "pass"]  # fmt: skip


def test_the_table_of_the_pytorch_benchmark_is_read() -> None:
    assert judged("a3-mega-pytorch-table.log", "a3-megagpu-8g", "ring") == [
        ("all-reduce, 4 nodes", "pass", "87% of line rate by ring")
    ]


def test_interleaved_diagnoses_are_told_apart_by_their_pods() -> None:
    assert judged("ndv5-diagnosis-interleaved.log") == [
        ("software of the nodes", "pass", "the same on all nodes"),
        ("GPU diagnosis", "pass", "aks-training-20417311-vmss000000 passed"),
        (
            "GPU diagnosis",
            "fail",
            Says("GPU", "6", "aks-training-20417311-vmss000001", "failed", "3", "docs/operate/replacing-a-node.md"),
        ),
    ]


def test_an_older_diagnosis_is_read() -> None:
    assert judged("p5-diagnosis-dcgm3.json") == [
        ("GPU diagnosis", "warn", Says("unknown", "Power", "GPU", "2", "HW_SLOWDOWN"))
    ]


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        (
            "p5-storage-elbencho.json",
            ["storage write, 4 nodes", "storage read, 4 nodes"]
            + [f"small files: {work}, 4 nodes" for work in ("create", "stat", "read", "delete")],
        ),
        ("ndv5-storage-fio.json", ["storage read, 2 nodes"]),
        ("replaced-node.json", ["node replaced"]),
    ],
)
def test_what_nobody_promised_is_measured_and_not_judged(name: str, checks: list[str]) -> None:
    assert [(check, outcome) for check, outcome, _ in judged(name)] == [(check, "measured") for check in checks]


def test_every_example_log_has_its_row_in_the_readme() -> None:
    rows = (EXAMPLES / "README.md").read_text()

    assert [
        path.name for path in EXAMPLES.iterdir() if path.name != "README.md" and f"| `{path.name}` |" not in rows
    ] == []

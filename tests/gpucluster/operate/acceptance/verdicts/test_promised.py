"""Each promise of a spec, kept or not or not shown."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gpucluster.operate.acceptance.judge import judge
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import (
    CollectiveRun,
    Measurement,
    Payload,
    Replacement,
    Storage,
    StoragePhase,
)
from gpucluster.operate.acceptance.verdicts.commitments import Promise, Promises

ASKED = datetime(2026, 11, 3, tzinfo=UTC)
ALL = Promises(
    bus_gb_per_s={4: Promise(Decimal(360), "promises.bus_gb_per_s.4")},
    storage_gb_per_s=Promise(Decimal(3), "storage.shared.gb_per_s"),
    files_per_s=Promise(Decimal(10_000), "promises.files_per_s"),
    replacement_hours=Promise(Decimal(4), "promises.replacement_hours"),
)


def outcomes(*measurements: Measurement) -> dict[str, str]:
    verdicts = judge([Log("a.log", measurements)], machine=None, promises=ALL)
    return {verdict.check: verdict.outcome for verdict in verdicts if verdict.check != "all-reduce, 4 nodes"}


def ring(speed: float) -> CollectiveRun:
    return CollectiveRun(
        log="a.log",
        line=1,
        tool="nccl-tests",
        payloads=(Payload(size=16 * 2**30, bus_gb_per_s=speed, wrong=0),),
        complete=True,
        node_count=4,
        algorithm="ring",
    )


def storage(gb_per_s: float, files_per_s: float) -> tuple[Storage, Storage]:
    large = StoragePhase(work="read", gb_per_s=gb_per_s)
    small = StoragePhase(work="create", files_per_s=files_per_s)
    return (
        Storage(log="a.log", line=1, tool="elbencho", phases=(large,), file_bytes=2**33),
        Storage(log="a.log", line=1, tool="elbencho", phases=(small,), file_bytes=4096),
    )


@pytest.mark.parametrize(
    ("speed", "gb_per_s", "files", "hours", "expected"),
    [(360.0, 3.0, 10_000.0, 4.0, "pass"), (359.9, 2.9, 9_999.0, 4.1, "fail")],
)
def test_a_promise_is_kept_at_its_figure_and_broken_below(
    speed: float, gb_per_s: float, files: float, hours: float, expected: str
) -> None:
    replaced = Replacement(log="a.log", line=1, node="node-a", hours=hours, asked=ASKED, ready=ASKED)

    assert outcomes(ring(speed), *storage(gb_per_s, files), replaced) == {
        "promises.bus_gb_per_s.4": expected,
        "node replaced": expected,
        "storage read": expected,
        "small files: create": expected,
    }


def test_a_promise_that_no_log_shows_is_told_and_does_not_pass() -> None:
    assert outcomes() == {
        "promises.bus_gb_per_s.4": "cannot tell",
        "promises.replacement_hours": "cannot tell",
        "storage.shared.gb_per_s": "cannot tell",
        "promises.files_per_s": "cannot tell",
    }


def test_the_slowest_run_is_held_against_the_promise() -> None:
    assert outcomes(ring(380.0), ring(300.0))["promises.bus_gb_per_s.4"] == "fail"

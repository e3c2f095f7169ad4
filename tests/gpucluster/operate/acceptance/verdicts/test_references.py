"""The table of published figures, and the limits that come of it."""

from __future__ import annotations

import csv
import dataclasses
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pytest

import gpucluster.operate.acceptance.verdicts.references as references
from gpucluster.core.catalog.machines import machines
from gpucluster.operate.acceptance.measurements import Collective, CollectiveRun, Payload
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric, line_rate

with Path(references.__file__).with_name("references.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
RUN = CollectiveRun(log="a.log", line=1, tool="nccl-tests", payloads=(), complete=True)


def judged(machine: str, collective: Any, nodes: int, size: int, speed: float) -> str:
    payload = Payload(size=size, bus_gb_per_s=speed, wrong=0)
    run = dataclasses.replace(
        RUN, payloads=(payload,), collective=collective, node_count=nodes, gpus=nodes * machines()[machine].gpus
    )
    return judge_fabric(run, machines()[machine]).outcome


def test_every_row_is_of_a_machine_with_its_fabric_and_has_a_source_and_a_day() -> None:
    assert len(ROWS) >= 20
    assert [
        row
        for row in ROWS
        if row["fabric"] != machines()[row["machine_type"]].fabric
        or row["collective"] not in get_args(Collective)
        or not row["source"]
        or date.fromisoformat(row["as_of"]) > date(2026, 11, 29)
    ] == []
    keys = [(row["machine_type"], row["collective"], row["nodes"], row["bytes"]) for row in ROWS]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join([*row.values()][:5]))
def test_what_was_published_passes_and_half_of_it_fails(row: dict[str, str]) -> None:
    about = row["machine_type"], row["collective"], int(row["nodes"] or 4), int(row["bytes"] or 2**34)
    published = float(row["expected"])

    assert (judged(*about, published), judged(*about, published / 2)) == ("pass", "fail")


def test_no_published_figure_of_large_payloads_is_below_four_fifths_of_line_rate() -> None:
    """Else a healthy cluster would fail by the line rate alone."""
    large = [row for row in ROWS if row["collective"] != "all-to-all" and int(row["bytes"] or 2**34) >= 4 * 10**9]

    assert [row for row in large if float(row["expected"]) < 0.8 * line_rate(machines()[row["machine_type"]])] == []


@pytest.mark.parametrize(("speed", "expected"), [(438.4, "pass"), (438.3, "warn"), (365.4, "warn"), (365.3, "fail")])
def test_a_run_is_fine_from_90_percent_low_below_and_broken_below_75(speed: float, expected: str) -> None:
    """Of 487.09 GB/s."""
    assert judged("p5.48xlarge", "all-reduce", 2, 2**34, speed) == expected


@pytest.mark.parametrize(("speed", "expected"), [(180.0, "pass"), (179.9, "warn")])
def test_a_limit_of_the_source_itself_goes_before(speed: float, expected: str) -> None:
    assert judged("Standard_ND96asr_v4", "all-reduce", 2, 2**33, speed) == expected


@pytest.mark.parametrize(
    ("size", "published"),
    [(2**30, None), (2**31, 442.06), (2**32, 464.33), (2**33, 464.33), (2**34, 487.09), (2**36, 487.09)],
)
def test_a_payload_is_held_against_the_largest_size_that_it_reaches(size: int, published: float | None) -> None:
    run = dataclasses.replace(RUN, node_count=2)
    found = references.reference(run, "p5.48xlarge", Payload(size=size, bus_gb_per_s=1.0, wrong=0))

    assert (found and found.expected) == published


def test_a_figure_of_two_nodes_says_nothing_of_three() -> None:
    run = dataclasses.replace(RUN, node_count=3)

    assert references.reference(run, "p5.48xlarge", Payload(size=2**34, bus_gb_per_s=1.0, wrong=0)) is None

"""The charts and tables of a report, and its page in a browser."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from gpucluster.components.shared.machine_choice import shape_named
from gpucluster.components.spec.file import read_spec
from gpucluster.core.documents.charts import Bars, Curve, Curves
from gpucluster.core.documents.document import Document
from gpucluster.core.documents.formats import written
from gpucluster.operate.acceptance.document import Subject, acceptance_document
from gpucluster.operate.acceptance.document_json import acceptance_schema
from gpucluster.operate.acceptance.judge import judge
from gpucluster.operate.acceptance.logs.read import Log, read_log
from gpucluster.operate.acceptance.measurements import RING, CollectiveRun, Payload
from gpucluster.operate.acceptance.verdicts.commitments import promises_of
from tests.cost.documents.html.conftest import browser, show
from tests.cost.documents.html.test_in_a_browser import CHARTS, CUT, OVERLAPS

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["browser", "show"]

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "examples/acceptance"
SUBJECT = Subject(
    machine=shape_named("p5.48xlarge"), cluster="trial", spec="trial.yaml", made=datetime.date(2026, 11, 3)
)


def document(*names: str) -> Document:
    logs = [read_log(Path(name), (EXAMPLES / name).read_text()) for name in names]
    verdicts = judge(logs, machine=SUBJECT.machine, promises=promises_of(read_spec(ROOT / "stacks/specs/trial.yaml")))
    return acceptance_document(verdicts, logs, SUBJECT)


def bandwidth(*runs: tuple[str, list[tuple[int, float]]]) -> Curves:
    """The chart of rings on machines of these types."""
    measured = [
        CollectiveRun(
            log="a.log", line=1, tool="t", complete=True, node_count=8, algorithm=RING, machine_type=machine,
            payloads=tuple(Payload(size=size, bus_gb_per_s=speed, wrong=0) for size, speed in points),
        )
        for machine, points in runs
    ]  # fmt: skip
    [figure] = acceptance_document([], [Log("a.log", tuple(measured), ())], Subject(made=SUBJECT.made)).figures()
    [panel] = figure.panels
    assert isinstance(panel.chart, Curves)
    return panel.chart


@pytest.mark.parametrize(
    ("fastest", "top"), [(330, "400 GB/s"), (400, "400 GB/s"), (401, "800 GB/s"), (801, "1,000 GB/s")]
)
def test_the_axis_ends_at_the_next_one_two_four_or_eight(fastest: float, top: str) -> None:
    assert bandwidth(("p5.48xlarge", [(2**30, fastest)])).top == top


@pytest.mark.parametrize(
    ("exponents", "labels"),
    [
        ((30, 33), ["1 GiB", "2 GiB", "4 GiB", "8 GiB"]),
        ((10, 30), ["1 KiB", "32 KiB", "1 MiB", "32 MiB", "1 GiB"]),
    ],
)
def test_payloads_have_at_most_five_labels(exponents: tuple[int, int], labels: list[str]) -> None:
    chart = bandwidth(("p5.48xlarge", [(2**power, 1.0) for power in exponents]))
    assert [text for _, text in chart.ticks] == labels
    assert (chart.ticks[0][0], chart.ticks[-1][0]) == (0, 1)


def test_points_are_by_size_and_a_payload_of_no_bytes_is_none() -> None:
    [curve, _] = bandwidth(("p5.48xlarge", [(2**31, 2.0), (0, 9.0), (2**30, 1.0)])).rows
    assert curve.points == [(0, 1.0), (1, 2.0)]


def test_a_limit_of_one_of_two_runs_has_its_colour_and_that_of_both_has_none() -> None:
    point = [(2**30, 10.0)]
    apart = bandwidth(("a3-megagpu-8g", point), ("p5.48xlarge", point), ("a2-none", point)).rows
    assert apart[3:] == [
        Curve("p5.48xlarge, a ring must reach: 320 GB/s", ((0, 320), (1, 320)), of=1),
        Curve("a3-megagpu-8g, a ring must reach: 160 GB/s", ((0, 160), (1, 160)), of=0),
    ]  # the highest first
    assert [curve.of for curve in bandwidth(("p5.48xlarge", point), ("p5.48xlarge", point)).rows] == [None, None, -1]


def test_storage_and_small_files_are_bars_with_what_they_must_reach() -> None:
    storage, files = [panel.chart for one in document("p5-storage-elbencho.json").figures() for panel in one.panels]
    assert isinstance(storage, Bars)
    assert isinstance(files, Bars)
    assert [(row.name, row.amount, row.note, row.tone) for row in storage.rows] == [
        ("write, 4 nodes", "2.71 GB/s", "fail; required 3 GB/s", "bad"),
        ("read, 4 nodes", "3.34 GB/s", "pass; required 3 GB/s", ""),
    ]
    assert [row.name for row in files.rows] == [f"{name}, 4 nodes" for name in ("create", "stat", "read", "delete")]


ALL = ("p5-storage-elbencho.json", "p5-ring-healthy.log", "ndv5-diagnosis-interleaved.log", "replaced-node.json")


def test_each_kind_of_check_has_a_heading_failures_first_and_fits_80_columns() -> None:
    lines = written(document(*ALL), "text", 80).splitlines()
    assert lines[0] == "Acceptance: fail (2 fail, 4 pass, 5 measured)"
    headings = ("Shared storage", "Nodes and GPUs", "Fabric", "Small files", "Nodes")
    assert [line for line in lines if line in headings] == [*headings]
    assert [line for line in lines if len(line) > 80] == []


def test_its_json_has_the_schema_that_is_printed() -> None:
    jsonschema.validate(json.loads(written(document(*ALL), "json")), acceptance_schema())


@pytest.mark.parametrize("width", [360, 1280])
def test_a_phone_shows_every_chart_with_its_labels_and_the_header_says_what_was_measured(
    show: Callable[..., Page], width: int
) -> None:
    page = show(written(document(*ALL), "html"), width)
    assert [chart["id"] for chart in page.evaluate(CHARTS)] == ["bandwidth", "storage", "files"]
    found = page.evaluate(OVERLAPS)
    assert (found["found"], found["outside"], page.evaluate(CUT)) == ([], [], [])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    header = page.locator(".totals").inner_text().split("\n")
    assert [text for text in header if text] == [
        "Cluster", "trial", "Machine", "p5.48xlarge", "Nodes in the logs", "10", "Spec", "trial.yaml",
        "Report of", "2026-11-03",
    ]  # fmt: skip
    sizes = page.evaluate(
        "[...document.querySelectorAll('.ends span')].map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 12

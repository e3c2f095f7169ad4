"""The last lines of a preview and of an update, from what programs and packs hand over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.closing import Line
from gpucluster.sandbox.run.arguments import CommandLine
from gpucluster.sandbox.run.closing import closing_lines, print_closing

TOTAL = {"label": "Total", "text": "$1.00 a month", "tone": "strong"}
COST: dict[str, Any] = {"lines": [TOTAL], "failed": "", "field": "", "next": ["gpucluster sandbox connect"]}
PREVIEW = CommandLine.of(["preview", "--stack", "dev", "--policy-pack", "packs/own"])
UP = CommandLine.of(["up", "--yes"])


def finding(rule: str, level: str, count: int = 1, field: str = "") -> dict[str, Any]:
    return {"rule": rule, "explain": f"explain {rule} --pack own", "level": level, "count": count, "field": field}


def pack(*findings: dict[str, Any]) -> dict[str, Any]:
    return {"rules": 48, "findings": list(findings), "machines": []}


def test_a_preview_without_findings_ends_with_the_update() -> None:
    assert closing_lines({"cost-program": COST, "findings-own": pack()}, PREVIEW, "dev", 0) == [
        Line("Total", "$1.00 a month", "strong"),
        Line("Findings", "none, by 48 rules"),
        Line("Next", "gpucluster sandbox pulumi up --stack dev --policy-pack packs/own"),
    ]


def test_the_gpu_machines_are_shown_once_before_the_findings() -> None:
    own = {**pack(), "machines": ["64 H100 in 2 pools: 1 checked, 1 not", "8 A100 in 1 pool: 1 checked"]}
    lines = closing_lines({"cost-program": COST, "findings-a": own, "findings-b": own}, PREVIEW, "dev", 0)
    assert lines[1:4] == [
        Line("GPUs", "64 H100 in 2 pools: 1 checked, 1 not"),
        Line("", "8 A100 in 1 pool: 1 checked"),
        Line("Findings", "none, by 96 rules"),
    ]


def test_an_update_ends_with_what_the_program_states() -> None:
    lines = closing_lines({"cost-program": COST}, UP, "dev", 0)
    assert lines[1:] == [Line("Next", "gpucluster sandbox connect")]


def test_a_failing_preview_counts_its_findings_and_names_the_lines_to_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trial.yaml").write_text("name: trial\nlabels: {}\nbudget: {monthly_usd: 1}\n")
    found = pack(finding("required-labels", "mandatory", 3, "labels"), finding("price-known", "advisory"))
    refused = {**COST, "failed": "over the budget by $2.65", "field": "budget.monthly_usd"}
    parts = {"cost-program": refused, "findings-own": found, "spec-trial": str(tmp_path / "trial.yaml")}
    assert closing_lines(parts, PREVIEW, "dev", 1)[1:] == [
        Line("Findings", "1 mandatory, 1 advisory", "bad"),
        Line("", "mandatory required-labels (3 resources): trial.yaml:2, labels", "bad"),
        Line("", "advisory price-known"),
        Line(
            "Failed",
            "over the budget by $2.65: trial.yaml:3, budget.monthly_usd; 1 mandatory finding",
            "bad",
        ),
        Line("Next", "explain required-labels --pack own"),
    ]


def test_a_run_that_fails_for_another_reason_points_at_the_errors() -> None:
    assert closing_lines({"cost-program": COST}, UP, "dev", 1)[1:] == [Line("Failed", "by the errors above", "bad")]


@pytest.mark.parametrize(
    ("refused", "shown"),
    [
        ("trial.yaml: 1 problem\n  field is wrong", "trial.yaml: 1 problem, listed above"),
        ("there is no virtualenv", "there is no virtualenv"),
    ],
)
def test_a_preview_whose_input_is_refused_ends_with_the_reason(
    capsys: pytest.CaptureFixture[str], refused: str, shown: str
) -> None:
    print_closing({}, PREVIEW, "dev", 2, refused)
    assert capsys.readouterr().out == f"Failed  {shown}\n"


def test_a_program_without_a_price_and_without_rules_ends_as_it_does_in_pulumi(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_closing({}, PREVIEW, "dev", 0)
    assert capsys.readouterr().out == ""
    print_closing({"cost-program": COST}, UP, "dev", 0)
    assert capsys.readouterr().out == "Total  $1.00 a month\nNext   gpucluster sandbox connect\n"

"""The lines about the cost in the closing block."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.documents.document import Document, Row, Table
from gpucluster.core.documents.terminal import as_text
from gpucluster.core.program.closing import Line
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.closing import besides_total, closing_lines, failure, since
from gpucluster.cost.estimate.trial import trial_of

Stack = Callable[..., list[Resource]]


@pytest.fixture
def found(stack: Stack, book: PriceBook) -> Callable[..., Estimate]:
    """A trial of 5 machines, with these facts."""

    def of(**facts: object) -> Estimate:
        return estimate(Resources(stack("aws", **facts), default_regions={"aws": "us-east-1"}), book)

    return of


def test_total_trial_teams_and_budget_have_a_line_each(found: Callable[..., Estimate]) -> None:
    half = {"trial-training": {"gpus": 16, "of": 32}}
    teams = {"nlp": {"shares": half, "monthly": "1"}, "vision": {"shares": half}}
    assert closing_lines(found(teams=teams, budget={"monthly": "420000", "onExceed": "fail"})) == [
        Line("Total", "$204,997.00 a month", "strong"),
        Line("", "$8.78 per training GPU-hour, 32 GPUs"),
        Line("This trial", "$94,354.78 in 14 days"),
        Line("Teams", "nlp $102,498.50 a month, $47,177.39 this trial; over its budget of $1.00", "bad"),
        Line("", "vision $102,498.50 a month, $47,177.39 this trial"),
        Line("Budget", "within $420,000.00 a month"),
    ]


def test_beside_a_table_of_totals_are_trial_teams_and_budget(found: Callable[..., Estimate]) -> None:
    half = {"trial-training": {"gpus": 16, "of": 32}}
    two = {"nlp": {"shares": half}, "vision": {"shares": half}}
    assert besides_total(found(teams=two, budget={"monthly": "420000", "onExceed": "fail"}), "<{}>".format) == (
        "this trial: $94,354.78 in 14 days; teams: <nlp> $102,498.50 a month, $47,177.39 this trial; "
        "<vision> $102,498.50 a month, $47,177.39 this trial; budget: within $420,000.00 a month"
    )
    whole = {"nlp": {"shares": {"trial-training": {"gpus": 32, "of": 32}}}}
    assert besides_total(found(teams=whole)) == "this trial: $94,354.78 in 14 days; budget: none stated"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (None, ""),
        ("{}", "unchanged since the last update"),
        ("0.00", "+${:,.2f} since the last update"),
        ("73.00 to 75.10", "73.00 to 75.10 after the last update"),
        ("unknown", "unknown after the last update"),
    ],
)
def test_the_change_is_since_the_last_update(found: Callable[..., Estimate], before: str | None, said: str) -> None:
    now = found()
    total = now.monthly.expected
    assert since(before and before.format(total), now) == said.format(total)


@pytest.mark.parametrize(("factor", "percent"), [("0.5", "+100.0%"), ("2", "-50.0%")])
def test_a_change_has_its_share(found: Callable[..., Estimate], factor: str, percent: str) -> None:
    now = found()
    before = now.monthly.expected * Decimal(factor)
    moved = now.monthly.expected - before
    sign = "+" if moved > 0 else "-"
    assert since(str(before), now) == f"{sign}${abs(moved):,.2f}, {percent} since the last update"


def test_a_budget_that_ends_an_update_is_the_reason_of_its_failure(
    found: Callable[..., Estimate], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trial.yaml").write_text("budget:\n  monthly_usd: 1\n")
    over = found(budget={"monthly": "1", "onExceed": "fail"})
    excess = f"${over.monthly.expected - 1:,.2f}"
    assert failure(over) == f"over the budget by {excess}"
    assert failure(found(budget={"monthly": "1", "onExceed": "warn"})) == ""
    assert closing_lines(over, specs=[tmp_path / "trial.yaml"])[-1] == Line(
        "Budget", f"over $1.00 a month by {excess}: trial.yaml:2, budget.monthly_usd", "bad"
    )


def test_a_trial_past_its_end_is_red(found: Callable[..., Estimate]) -> None:
    now = found(durationDays=14)
    trial = trial_of(now, datetime(2026, 11, 20, tzinfo=UTC), begun=datetime(2026, 11, 1, tzinfo=UTC))
    assert trial is not None
    assert Line("", trial.sentence, "bad") in closing_lines(now, trial=trial)


@pytest.mark.parametrize(("factor", "spent"), [(1, True), (2, False)])
def test_what_a_changed_cluster_cost_so_far_is_not_told_by_its_new_price(
    found: Callable[..., Estimate], factor: int, spent: bool
) -> None:
    now = found(durationDays=14)
    trial = trial_of(now, datetime(2026, 11, 8, tzinfo=UTC), begun=datetime(2026, 11, 1, tzinfo=UTC))
    assert trial is not None
    lines = closing_lines(now, before=f"{now.monthly.expected * factor}", trial=trial)
    assert lines[3] == Line("", trial.sentence if spent else trial.dates)
    assert trial.dates == "started 2026-11-01 00:00 UTC, ends 2026-11-15 00:00 UTC, in 7.0 days"
    assert trial.sentence == f"{trial.dates}: {trial.so_far} so far; {trial.in_all} at the end if unchanged"


def test_on_a_terminal_sums_are_bold_and_foreign_control_characters_are_letters() -> None:
    rows, sums = [Row(("a\x1b[2Jb", "$1.00"))], [Row(("Total", "$1.00"), strong=True)]
    table = Table(heads=("", "$"), rows=rows, sums=sums)
    document = Document(title="Cost", model=dict, sections=lambda: [table])
    plain, styled = as_text(document, 40), as_text(document, 40, styled=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[01]m", "", styled) == plain
    assert [line.startswith("\x1b[1mTotal") for line in styled.splitlines()][-1]
    assert "a\\x1b[2Jb" in styled

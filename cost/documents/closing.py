"""The cost in the closing block of a preview, an update, a check and a report: total, change, trial, teams, budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from gpucluster.core.program.closing import Line
from gpucluster.core.program.spec_places import to_edit
from gpucluster.cost.documents.text import plain_number, usage_count
from gpucluster.cost.estimate.budgets import Verdict, budget_verdict
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.teams import NO_TEAM, team_costs
from gpucluster.cost.estimate.trial import Trial
from gpucluster.cost.pricing.money import at_least, change, how_known, money, ranged

_UNCHANGED: Final = "unchanged since the last update"


def closing_lines(
    found: Estimate, *, before: str | None = None, trial: Trial | None = None, specs: Sequence[Path] = ()
) -> list[Line]:
    """Lines about the cost of a stack.

    before: the total after the last update, as the stack's output `monthly`; None if there was none. trial: of a stack
    that exists. specs: files of its clusters, if known.
    """
    moved = since(before, found)
    return [*_total(found, moved), *_trial(found, trial, moved), *_teams(found), *_budget(found, specs)]


def besides_total(found: Estimate, name: Callable[[str], str] = str) -> str:
    """What a table of totals does not have, in one sentence: this trial, the teams if there are several, the budget.

    name: of a team, as it is shown. Empty if nothing is known.
    """
    teams = [*_teams(found, name)]
    lines = [*_trial(found), *(teams if len(teams) > 1 else []), *_budget(found, ())]
    return "; ".join(f"{line.label.lower()}: {line.text}" if line.label else line.text for line in lines)


def totals(found: Estimate) -> dict[str, str]:
    """Totals in USD in the form of stack outputs; the next preview shows how they change.

    With unpriced items they read `73.00 to 75.10` if bounded, else `at least 73.00`, or `unknown` if nothing is
    known.
    """
    monthly, per_gpu, gaps = found.monthly, found.per_training_gpu_hour, found.gaps
    outputs = {
        "monthly": ranged(monthly.expected, gaps.expected, plain=True),
        "monthlyFloor": ranged(monthly.floor, gaps.floor, plain=True),
        "monthlyCeiling": ranged(monthly.ceiling, gaps.ceiling, plain=True),
        "hourly": ranged(found.hourly.expected, gaps.hourly, plain=True),
    }
    if per_gpu is not None:
        outputs["perTrainingGpuHour"] = (
            "unknown" if found.training_unknown else ranged(per_gpu, gaps.gpu_hour, plain=True)
        )
    if found.committed_monthly:
        outputs["committedElsewhere"] = f"{found.committed_monthly:f}"
    if not found.complete:
        outputs["notPriced"] = str(len(found.not_priced))
    return outputs


def failure(found: Estimate) -> str:
    """Why a budget ends an update; empty if none does."""
    verdict = budget_verdict(found)
    over = verdict is not None and verdict.outcome == "over" and verdict.budget.on_exceed == "fail"
    return f"over the budget by {_excess(verdict)}" if verdict is not None and over else ""


def since(before: str | None, found: Estimate) -> str:
    """`+$80,445.24, +37.3% since the last update`; empty before the first one.

    before: as in `closing_lines`. A total that is not exactly known, now or then, has no difference.
    """
    if before is None:
        return ""
    try:
        old = Decimal(before)
    except InvalidOperation:  # a range, or unknown
        return f"{before} after the last update"
    if found.gaps.expected.missing:
        return f"{money(old)} after the last update"
    moved = found.monthly.expected - old
    if not moved:
        return _UNCHANGED
    return f"{change(moved)}{f', {moved / old:+.1%}' if old else ''} since the last update"


def _total(found: Estimate, moved: str) -> Iterator[Line]:
    monthly, gaps = found.monthly, found.gaps
    yield Line("Total", f"{ranged(monthly.expected, gaps.expected)} a month{f' ({moved})' if moved else ''}", "strong")
    if known := how_known(monthly.expected, gaps.expected):
        yield Line("", known)
    if monthly.varies:
        yield Line("", f"floor {ranged(monthly.floor, gaps.floor)}, ceiling {ranged(monthly.ceiling, gaps.ceiling)}")
    if usage := usage_count(found):
        yield Line("", usage)
    per_gpu, gpus = found.per_training_gpu_hour, found.facts.training_gpus
    if per_gpu is not None and gpus is not None:
        amount = "unknown" if found.training_unknown else ranged(per_gpu, gaps.gpu_hour)
        yield Line("", f"{amount} per training GPU-hour, {plain_number(gpus)} GPUs")


def _trial(found: Estimate, trial: Trial | None = None, moved: str = "") -> Iterator[Line]:
    total, days = found.trial_total, found.facts.duration_days
    if total is not None and days is not None:
        upfront = f", of it {money(found.upfront)} upfront" if found.upfront else ""
        yield Line("This trial", f"{ranged(total, found.gaps.trial)} in {plain_number(days)} days{upfront}")
    if trial is not None:
        # A changed cluster had another price so far.
        text = trial.sentence if moved in ("", _UNCHANGED) else trial.dates
        yield Line("" if total is not None else "This trial", text, "bad" if trial.over else "")


def _teams(found: Estimate, name: Callable[[str], str] = str) -> Iterator[Line]:
    costs = [team for team in team_costs(found) if team.name != NO_TEAM or team.monthly or team.gap.missing]
    for number, team in enumerate(costs):
        over = f"; over its budget of {money(team.budget)}" if team.budget and team.outcome == "over" else ""
        trial = "" if team.trial is None else f", {ranged(team.trial, team.trial_gap)} this trial"
        text = f"{name(team.name)} {ranged(team.monthly, team.gap)} a month{trial}{over}"
        yield Line("" if number else "Teams", text, "bad" if over else "")


def _budget(found: Estimate, specs: Sequence[Path]) -> Iterator[Line]:
    verdict = budget_verdict(found)
    if verdict is None:
        if found.facts.training_gpus is not None:
            yield Line("Budget", "none stated")
    elif verdict.outcome == "over":
        place = to_edit(specs, "budget.monthly_usd")
        yield Line("Budget", f"over {money(verdict.budget.monthly)} a month by {_excess(verdict)}{place}", "bad")
    elif verdict.outcome == "cannot tell":
        yield Line("Budget", verdict.sentence, "bad")
    else:
        ceiling = ", but the ceiling is over it" if verdict.ceiling_over else ""
        yield Line("Budget", f"within {money(verdict.budget.monthly)} a month{ceiling}")


def _excess(verdict: Verdict) -> str:
    return at_least(verdict.gap.low(verdict.expected) - verdict.budget.monthly, complete=not verdict.gap.missing)

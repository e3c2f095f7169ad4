"""Replays recorded plans and states against a company's pack, for its tests."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.rule import Changes, Enforcement, Outcome
from gpucluster.policies.engine.settings import read_settings
from gpucluster.policies.packs.company import own_rules, pack_of
from gpucluster.policies.report import check_stack

__all__ = ["Replay", "Result", "replay"]


@dataclass(frozen=True)
class Result:
    """resource: its name; empty for the stack as a whole."""

    rule: str
    resource: str
    what: str


@dataclass(frozen=True, kw_only=True)
class Replay:
    """
    mandatory, advisory: the findings, by the level of their rule. undecided: values that the plan does not know.
    exempted: accepted findings. not_checked: rules without the setting or fact that they compare with.
    """

    mandatory: list[Result]
    advisory: list[Result]
    undecided: list[Result]
    exempted: list[Result]
    not_checked: list[Result]


def replay(
    pack: str | Path,
    plan: str | Path | Mapping[str, Any],
    *,
    config: Mapping[str, Any] | None = None,
    rules: Collection[str] | None = None,
    today: datetime.date | None = None,
) -> Replay:
    """What the rules of a pack find in a plan or state.

    pack: a folder, or the name of a pack. plan: path of a file from `pulumi preview --json --show-sames` or `pulumi
    stack export`, or its content. config: levels and settings, as in a file for --policy-pack-config. rules: names of
    those to run; by default all that the folder adds. today: by default 2026-01-01, for exemptions, so that a test does
    not depend on its day.
    Raises gpucluster.Error for a pack, plan or configuration that cannot be used.
    """
    found = pack_of(str(pack))
    text = json.dumps(plan) if isinstance(plan, Mapping) else Path(plan).read_text(encoding="utf-8")
    read = read_file(text, "the plan" if isinstance(plan, Mapping) else str(plan))
    changes = Changes(ended=read.ended, before=read.existing(), after=read.resources) if read.is_plan else None
    settings = read_settings(json.dumps(config or {}), found.rules)
    today = today or datetime.date(2026, 1, 1)
    checked = check_stack("", read.resources, changes, pack=found, settings=settings, today=today)
    wanted = own_rules(found) if rules is None else rules
    outcomes = [(outcome, level) for outcome, level in checked.outcomes if outcome.rule.name in wanted]
    return Replay(
        mandatory=[one for outcome, level in outcomes if level is Enforcement.MANDATORY for one in _found(outcome)],
        advisory=[one for outcome, level in outcomes if level is Enforcement.ADVISORY for one in _found(outcome)],
        undecided=[_result(outcome, one.resource, one.what) for outcome, _ in outcomes for one in outcome.unknown],
        exempted=[
            _result(outcome, one.violation.resource, one.violation.what)
            for outcome, _ in outcomes
            for one in outcome.exempted
        ],
        not_checked=[_result(outcome, None, one.what) for outcome, _ in outcomes for one in outcome.not_checked],
    )


def _found(outcome: Outcome) -> list[Result]:
    return [_result(outcome, one.resource, one.what) for one in outcome.violations]


def _result(outcome: Outcome, resource: Any, what: str) -> Result:
    return Result(outcome.rule.name, resource.name if resource else "", what)

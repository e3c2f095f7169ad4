"""The ways around the rules, as the files of `rules/` tell them, and what comes of each."""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.examples import Example, example_of, plan_of
from gpucluster.policies.engine.rule import Changes, ReportRule
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import TRAINING
from tests.policies.laid import laid

__all__ = ["CAUGHT", "KINDS", "NO_WAY", "OUT_OF_REACH", "SAID", "Evasion", "base_of", "evasions", "outcome_of"]

FOLDER = Path(__file__).with_name("rules")
KINDS = ("unknown value", "foreign resource", "other provider", "other text form", "other resource type")
CAUGHT, SAID, OUT_OF_REACH, NO_WAY = "caught", "said", "out of reach", "no way around"

_TODAY = datetime.date(2026, 11, 21)
_RULES = {rule.name: rule for rule in TRAINING.rules}
_REPORTS = [rule for rule in TRAINING.rules if isinstance(rule, ReportRule)]
_SAYING = ("not-known-yet", "gpu-machines-unread")


@dataclass(frozen=True, kw_only=True)
class Evasion:
    """One way around one rule. told: the rule that speaks. program: None where there is nothing to run."""

    rule: str
    told: str
    by: str
    how: str
    is_: str
    because: str
    of: str
    program: Example | None
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])


@functools.cache
def evasions() -> list[Evasion]:
    """Those of every file, in the order of the packs' rules."""
    found = [one for file in sorted(FOLDER.glob("*.yaml")) for one in _of_file(file)]
    order = list(_RULES)
    return sorted(found, key=lambda one: (order.index(one.rule), KINDS.index(one.by)))


def base_of(rule: str, of: str) -> Example:
    """The program that a way around starts from."""
    if of == "example":
        found = example_of(rule)
        assert found is not None
        return found
    file = next(file for file in FOLDER.glob("*.yaml") if of in (_read(file).get("programs") or {}))
    return Example(resources=_read(file)["programs"][of], fail={})


def outcome_of(rule: str, program: Example, config: Mapping[str, Any]) -> tuple[str, list[str]]:
    """What comes of a program, and in which words."""
    fails = isinstance(program.fail, list) and bool(program.fail)
    read = read_file(json.dumps(plan_of(program, fails=fails)), "evasion")
    changes = Changes(ended=read.ended, before=read.existing(), after=read.resources)
    settings = Settings(configs={rule: dict(config)})
    outcomes = evaluate(
        [_RULES[rule], *_REPORTS],
        read.resources,
        changes,
        today=_TODAY,
        settings=settings,
        grant=TRAINING.grant(settings.configs),
    )
    words = {one.rule.name: [violation.what for violation in one.violations] for one in outcomes}
    assert [what for what in words[rule] if what.startswith("rule failed")] == []
    if words[rule]:
        return CAUGHT, words[rule]
    said = [what for name in _SAYING for what in words.get(name, []) if rule in what]
    return (SAID, said) if said else (OUT_OF_REACH, [])


@functools.cache
def _read(file: Path) -> dict[str, Any]:
    return yaml.load(file.read_text(), yaml.CSafeLoader)


def _of_file(file: Path) -> Iterator[Evasion]:
    for entry in _read(file)["evasions"]:
        for rule in entry.get("rules", [file.stem]):
            of = entry.get("of", "example")
            yield Evasion(
                rule=rule,
                told=entry.get("told", rule),
                by=entry["by"],
                how=entry.get("how", ""),
                is_=entry["is"],
                because=entry.get("because", ""),
                of=of,
                program=None if entry["is"] == NO_WAY else _changed(base_of(rule, of), entry),
                config=entry.get("config", {}),
            )


def _changed(program: Example, entry: Mapping[str, Any]) -> Example:
    change: Mapping[str, Any] = entry.get("change") or {}
    unmet = [name for name in change if name not in program.resources]
    assert unmet == [], f"{entry['how']}: no resource {', '.join(unmet)}"
    kept = {name: of for name, of in program.resources.items() if change.get(name, {}) is not None}
    resources = {
        name: {**of, "properties": laid(of.get("properties", {}), change.get(name, {}))} for name, of in kept.items()
    }
    return Example(resources={**resources, **entry.get("with", {})}, fail=entry.get("plan", []))

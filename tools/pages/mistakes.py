"""Seeded mistakes: each is one edit of an example, and the one rule of the policy pack that stops it.

Checks every example with the pack, applies each edit of `examples/mistakes.yaml`, and writes
docs/reference/seeded-mistakes.md. What is wrong: a good example with a mandatory finding, an edit that its rule does
not find, or that another mandatory rule finds.

An edit of the file:

    - says: one sentence
      pitfall: AWS 2                  # number in docs/reference/pitfalls-aws.md, if listed there
      of: aws/trial                   # page of an example
      rule: training-pool-in-one-domain
      spec: {budget: {monthly_usd: 9000}}      # changes the spec; the program runs again
      change: {trial-training-template: {placement: null}}
      depends: {trial-storage-shared: {subnetIds: [trial-network-cluster-b]}}
      copy: {spares: trial-training-nodes}
      add: {shell: {type: ..., properties: ...}}
      remove: [trial-training-efa-out]
      delete: [trial-storage-shared]           # in a plan for the existing stack
      replace: [trial-control-plane-cluster]

`change` addresses map keys and list indices; `+` appends, null removes.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import yaml

from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.rule import Changes, Enforcement, ReportRule
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING
from tools.pages.examples import ROOT, Example, declared, examples

FILE: Final = ROOT / "examples/mistakes.yaml"

_DAY: Final = datetime.date(2026, 11, 21)
_PITFALLS: Final = {"AWS": "pitfalls-aws.md", "Google Cloud": "pitfalls-gcp.md", "Azure": "pitfalls-azure.md"}

# (rule, resource, what): identifies a finding.
_Finding = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One edit, as in the file."""

    says: str
    of: str
    rule: str
    pitfall: str | None = None
    spec: Mapping[str, Any] = field(default_factory=dict[str, Any])
    change: Mapping[str, Any] = field(default_factory=dict[str, Any])
    depends: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict[str, Mapping[str, list[str]]])
    copy: Mapping[str, str] = field(default_factory=dict[str, str])
    add: Mapping[str, Any] = field(default_factory=dict[str, Any])
    remove: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()

    def made_in(self, good: Resources, example: Example) -> tuple[Resources, Changes | None]:
        """A good example after the edit: its resources, and the deletions of a plan."""
        if self.spec:
            return declared(example, self.spec), None
        kept = self._edited(good)
        if not self.delete and not self.replace:
            return kept, None
        after = Resources(one for one in kept if one.name not in self.delete)
        ended = [Deletion(one.urn, "deleted") for one in kept if one.name in self.delete]
        ended += [Deletion(one.urn, "replaced") for one in kept if one.name in self.replace]
        return after, Changes(ended=ended, before=kept, after=after)

    def _edited(self, good: Resources) -> Resources:
        by_name = {one.name: one for one in good}
        named = {*self.change, *self.depends, *self.copy.values(), *self.remove, *self.delete, *self.replace}
        unknown = named - set(by_name) - set(self.copy) - set(self.add)
        if unknown:
            raise ValueError(f"{self.says}: {self.of} has no {', '.join(sorted(unknown))}")
        every = [one for one in good if one.name not in self.remove]
        every += [_renamed(by_name[of], name) for name, of in self.copy.items()]
        around = next(one for one in good if not one.custom and "requiredLabels" in one.registered)
        inside = next((one.provider for one in good if one.type.startswith("kubernetes:")), None)
        every += [_new(name, of, around, inside) for name, of in self.add.items()]
        urns = {one.name: one.urn for one in every}
        return Resources(self._changed(one, urns) for one in every)

    def _changed(self, one: Resource, urns: Mapping[str, str]) -> Resource:
        behind = {key: tuple(urns[name] for name in names) for key, names in self.depends.get(one.name, {}).items()}
        inputs = cast("dict[str, Any]", _laid(one.inputs, self.change.get(one.name, {})))
        return replace(one, inputs=inputs, dependencies={**one.dependencies, **behind})


def mistakes() -> list[Mistake]:
    """Every edit of the file."""
    read: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    lists = ("remove", "delete", "replace")
    for one in read:
        one |= {key: tuple(one[key]) for key in lists if key in one}
    return [Mistake(**one) for one in read]


def _laid(value: Any, change: Any) -> Any:
    if not isinstance(change, Mapping):
        return change
    edits = cast("Mapping[Any, Any]", change)
    if isinstance(value, list):
        listed: dict[Any, Any] = dict(enumerate(cast("list[Any]", value)))
        own = {key: edit for key, edit in edits.items() if key != "+"}
        laid = {**listed, **{key: _laid(listed.get(key), edit) for key, edit in own.items()}}
        return [*(one for one in laid.values() if one is not None), *edits.get("+", ())]
    given = cast("Mapping[Any, Any]", value) if isinstance(value, Mapping) else dict[Any, Any]()
    laid = {**given, **{key: _laid(given.get(key), edit) for key, edit in edits.items()}}
    return {key: one for key, one in laid.items() if one is not None}


def _renamed(one: Resource, name: str) -> Resource:
    return replace(one, name=name, urn=f"{one.urn.rpartition('::')[0]}::{name}")


def _new(name: str, of: Mapping[str, Any], around: Resource, cluster: str | None) -> Resource:
    """An additional resource inside the component; a Kubernetes object is in its cluster."""
    urn = f"{'::'.join(around.urn.split('::')[:2])}::{of['type']}::{name}"
    provider = cluster if of["type"].startswith("kubernetes:") else None
    return Resource(urn=urn, type=of["type"], name=name, inputs=of["properties"], parent=around.urn, provider=provider)


def found(resources: Resources, changes: Changes | None = None) -> set[_Finding]:
    """Every violation of the pack."""
    outcomes = evaluate(TRAINING.rules, resources, changes, today=_DAY)
    return {
        (outcome.rule.name, one.resource.name if one.resource else "", one.what)
        for outcome in outcomes
        for one in outcome.violations
    }


def page() -> tuple[str, list[str]]:
    """(the page, unexpected results)"""
    wrong: list[str] = []
    good = {str(example.page.with_suffix("")): (example, declared(example)) for example in examples()}
    before = {name: found(resources) for name, (_, resources) in good.items()}
    wrong += [f"{name}: {finding}" for name, findings in before.items() for finding in _stopping(findings)]
    rows: list[str] = []
    for mistake in mistakes():
        example, resources = good[mistake.of]
        after, changes = mistake.made_in(resources, example)
        new = found(after, changes) - before[mistake.of]
        wrong += _differences(mistake, new)
        rows.append(_row(mistake, new))
    return _written(rows, before), wrong


def _stopping(findings: set[_Finding]) -> Iterator[_Finding]:
    levels = {rule.name: TRAINING.enforcement(rule) for rule in TRAINING.rules}
    return (finding for finding in sorted(findings) if levels[finding[0]] is Enforcement.MANDATORY)


def _differences(mistake: Mistake, new: set[_Finding]) -> Iterator[str]:
    if mistake.rule not in {rule for rule, _, _ in new}:
        yield f"{mistake.says}: not found by {mistake.rule}, but by {sorted({rule for rule, _, _ in new})}"
    for finding in _stopping(new):
        if finding[0] != mistake.rule:
            yield f"{mistake.says}: {finding} as well"


def _row(mistake: Mistake, new: set[_Finding]) -> str:
    own = [(name or "the whole stack", what) for rule, name, what in sorted(new) if rule == mistake.rule]
    what = f"`{own[0][0]}`: {own[0][1]}" if own else ""
    cloud, _, number = (mistake.pitfall or "").rpartition(" ")
    cited = f"[{cloud} {number}]({_PITFALLS[cloud]})" if mistake.pitfall else ""
    level = next(TRAINING.enforcement(rule).value for rule in TRAINING.rules if rule.name == mistake.rule)
    cells = (
        mistake.says,
        mistake.of,
        cited,
        f"[{mistake.rule}](rules.md#{mistake.rule})",
        level,
        what.replace("|", "\\|"),
    )
    return f"| {' | '.join(cells)} |"


def _written(rows: list[str], before: Mapping[str, set[_Finding]]) -> str:
    report_rules = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)}
    advice = (
        f"| {name} | {', '.join(sorted({rule for rule, _, _ in of} - report_rules)) or 'nothing'} |"
        for name, of in before.items()
    )
    return "\n".join(
        (
            "# Seeded mistakes",
            "",
            f"{len(rows)} edits of the [examples](../examples/README.md), each a mistake that many made before, and",
            "the rule that finds it: that rule, and no other mandatory one. `make docs` writes this page and fails",
            "where it is not so; the edits are in [`examples/mistakes.yaml`](../../examples/mistakes.yaml).",
            "",
            "| mistake | in | known pitfall | rule | in the training pack | what it says |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
            "## The examples as they are",
            "",
            f"None of the {len(before)} has a mandatory finding. Advice, besides what only reports:",
            "",
            "| example | advice |",
            "| --- | --- |",
            *advice,
            "",
        )
    )

"""The results of a run over one or several files, before rendering."""

from __future__ import annotations

import datetime
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.program.spec_places import spec_place
from gpucluster.policies.answers import Answer, answers
from gpucluster.policies.clouds.node_impacts import NodeImpact, node_impacts
from gpucluster.policies.engine.exemptions import Grant
from gpucluster.policies.engine.own_programs import counted
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import (
    Changes,
    Edit,
    Enforcement,
    Outcome,
    Rule,
    Violation,
    in_own_cluster,
    spec_field,
)
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import REMEDIATE, Settings

_EXEMPT_DAYS: Final = 30
"""Duration of the exemption that a report suggests: long enough for a fix, short enough for a review."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """
    file: as named by the user.
    outcomes: each with the level of its rule in this run.
    resources: the checked ones.
    nodes: the plan's effects on nodes of pools; empty for a state.
    own: the number of programs of the clusters themselves that are not listed, for users; empty without any.
    specs: files of the specs of its clusters, if known.
    grant: which exemptions of programs count.
    """

    file: str
    outcomes: Sequence[tuple[Outcome, Enforcement]]
    resources: Resources
    nodes: Sequence[NodeImpact] = ()
    own: str = ""
    specs: Sequence[Path] = ()
    grant: Grant = field(default_factory=Grant)

    def name_of(self, resource: Resource) -> str:
        """An exemption's name for the resource: its name, or its URN if others have the same name."""
        return resource.name if self._names[resource.name] < 2 else resource.urn

    @cached_property
    def machines(self) -> Sequence[Answer]:
        """The places with GPU machines, and whether the rules checked them."""
        return answers([outcome for outcome, _ in self.outcomes], self.resources)

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(resource.name for resource in self.resources)


def check_stack(
    file: str,
    resources: Resources,
    changes: Changes | None = None,
    *,
    pack: Pack,
    settings: Settings,
    today: datetime.date,
    specs: Sequence[Path] = (),
    computed_ends: frozenset[str] | None = None,
) -> Checked:
    """The findings of a pack's rules, each with its level from pack and settings.

    file: name of the stack in the report. changes: of a plan; with None, rules for changes do not run.
    specs: files of the specs of its clusters, if known. computed_ends: see `Grant`.
    """
    settings = settings.over(pack.settings)
    grant = pack.grant(settings.configs, computed_ends)

    def level(rule: Rule) -> Enforcement:
        given = settings.levels.get(rule.name)
        if given is None:
            return pack.enforcement(rule)
        return Enforcement.MANDATORY if given == REMEDIATE else Enforcement(given)

    outcomes = evaluate(pack.rules, resources, changes, today=today, settings=settings, grant=grant)
    return Checked(
        file=file,
        outcomes=[(outcome, level(outcome.rule)) for outcome in outcomes],
        resources=resources,
        nodes=() if changes is None else node_impacts(changes),
        specs=specs,
        grant=grant,
        own=counted(outcomes, grant),
    )


@dataclass(frozen=True, kw_only=True)
class Found:
    """One violation, with its level in this run and its file."""

    checked: Checked
    level: Enforcement
    rule: Rule
    violation: Violation

    @property
    def resource(self) -> Resource | None:
        return self.violation.resource

    @property
    def subject(self) -> str:
        """The name of the affected resource, or of the stack."""
        return self.resource.name if self.resource else "the whole stack"

    @property
    def fix(self) -> str:
        return self.violation.fix or self.rule.fix

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.violation.edits

    @property
    def field(self) -> str:
        """The field of a spec to edit; empty if no spec decides."""
        return spec_field(self.rule, self.violation)

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line to edit: of the spec if a field of it decides; of the program, if the plan has them
        (`path#line` or `path#line,column`): for what a component of this package declares, of the call of the
        component.
        """
        spec = spec_place(self.checked.specs, self.field) if self.field else None
        if spec is not None and spec.line:
            return os.path.relpath(spec.file), spec.line
        path, _, where = (self._declared_at or "").partition("#")
        line = where.partition(",")[0]
        return (path, int(line)) if path and line.isdigit() and int(line) > 0 else None

    @property
    def _declared_at(self) -> str | None:
        about = self.resource
        if about is None or not in_own_cluster(about):
            return about.source_position if about else None
        around = (about, *self.checked.resources.parents(about))
        components = [one.source_position for one in around if not one.custom and in_own_cluster(one)]
        return next(filter(None, components), None)

    @property
    def where(self) -> str:
        """The place to edit, as text, with the field of the spec; empty if it is unknown."""
        return ", ".join(filter(None, (":".join(map(str, self.place or ())), self.field)))

    @property
    def exempts_in_program(self) -> bool:
        """Whether an exemption in the program can accept it; else only one in the pack's configuration can."""
        return self.checked.grant.covers(self.rule.name)

    def exemption(self, today: datetime.date) -> str | None:
        """An entry that accepts it once the user adds reason and owner: of the program's `exemptions`, or without
        `rule` of those in the pack's configuration of the rule. None if not exemptible.
        """
        if self.resource is None or not self.rule.accepts:
            return None
        in_program, grant = self.exempts_in_program, self.checked.grant
        until = today + datetime.timedelta(days=min(_EXEMPT_DAYS, grant.days) if in_program else _EXEMPT_DAYS)
        rule = {"rule": self.rule.name} if in_program else {}
        owner = next(iter(grant.owners)) if in_program and grant.owners and len(grant.owners) == 1 else ""
        return json.dumps(
            {
                **rule,
                "resource": self.checked.name_of(self.resource),
                "reason": "",
                "owner": owner,
                "until": until.isoformat(),
            }
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """
    pack: name of the pack whose rules ran.
    today: the date for checking exemptions.
    not_run: rules for changes that did not run on every file, since a state file contains no changes.
    """

    pack: str
    files: Sequence[Checked]
    today: datetime.date
    not_run: Sequence[Rule] = ()

    def __iter__(self) -> Iterator[Found]:
        """Every violation, by file, mandatory ones first."""
        for checked in self.files:
            for wanted in (Enforcement.MANDATORY, Enforcement.ADVISORY):
                yield from (
                    Found(checked=checked, level=level, rule=outcome.rule, violation=violation)
                    for outcome, level in checked.outcomes
                    if level is wanted
                    for violation in outcome.violations
                )

    def count(self, level: Enforcement) -> int:
        return sum(found.level is level for found in self)

    @property
    def resources(self) -> int:
        return sum(len(checked.resources) for checked in self.files)

    @property
    def rules(self) -> Sequence[tuple[Rule, Enforcement]]:
        """The rules that ran, with their levels: the same for every file."""
        ran = (pair for checked in self.files for pair in checked.outcomes)
        return list({outcome.rule.name: (outcome.rule, level) for outcome, level in ran}.values())

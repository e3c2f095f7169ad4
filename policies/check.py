"""Checks one stack with a pack."""

from __future__ import annotations

import datetime

from gpucluster.policies.changes import Changes
from gpucluster.policies.engine.settings import REMEDIATE, Settings
from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.node_impacts import node_impacts
from gpucluster.policies.pack import Pack
from gpucluster.policies.report import Checked
from gpucluster.policies.rule import Enforcement, Rule
from gpucluster.program.resources import Resources


def check_stack(
    file: str,
    resources: Resources,
    changes: Changes | None = None,
    *,
    pack: Pack,
    settings: Settings,
    today: datetime.date,
) -> Checked:
    """The findings of a pack's rules, each with its level from pack and settings.

    file: name of the stack in the report. changes: of a plan; with None, rules for changes do not run.
    """

    def level(rule: Rule) -> Enforcement:
        given = settings.levels.get(rule.name)
        if given is None:
            return pack.enforcement(rule)
        return Enforcement.MANDATORY if given == REMEDIATE else Enforcement(given)

    outcomes = evaluate(
        pack.rules, resources, changes, today=today, settings=settings, program_exemptions=pack.program_exemptions
    )
    return Checked(
        file=file,
        outcomes=[(outcome, level(outcome.rule)) for outcome in outcomes],
        resources=resources,
        nodes=() if changes is None else node_impacts(changes),
    )

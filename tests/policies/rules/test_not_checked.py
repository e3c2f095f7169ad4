"""not-checked: what a program does not state."""

from __future__ import annotations

import pytest

from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import TRAINING
from tests.says import Says


def _said(program, **configs):
    outcomes = evaluate(
        TRAINING.rules, program.stack().resources, today=program.today, settings=Settings(configs=configs)
    )
    [outcome] = [outcome for outcome in outcomes if outcome.rule.name == "not-checked"]
    return [(violation.resource, violation.what) for violation in outcome.violations]


def test_a_program_that_states_both_is_told_nothing(program):
    assert _said(program) == []


@pytest.mark.parametrize(
    ("absent", "what"),
    [
        (["budget"], "no budget stated: not checked"),
        (["requiredLabels"], "no required labels stated: not checked"),
        (["requiredLabels", "budget"], Says("no", "required", "/", "no", "not", "checked")),
    ],
)
def test_what_is_not_stated_is_one_line(program, absent, what):
    for name in absent:
        del program["trial"][name]
    assert _said(program) == [(None, what)]


def test_what_the_pack_is_configured_with_is_stated(program):
    del program["trial"]["requiredLabels"]
    del program["trial"]["budget"]
    configs = {"required-labels": {"keys": ["team"]}, "budget": {"monthly": "1000000"}}
    assert _said(program, **configs) == []


def test_a_budget_that_is_not_known_yet_is_stated(program):
    program["trial"]["budget"] = program.unknown
    assert _said(program) == []

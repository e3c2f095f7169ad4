"""The pack's configuration file."""

from __future__ import annotations

import pytest

from policies.settings import BadSettings, Settings, read_settings
from policies.training import PACK


def test_levels_and_settings_are_read_in_pulumis_form():
    text = '{"budget": {"enforcementLevel": "advisory", "monthly": "5"}, "label-values": "disabled"}'
    assert read_settings(text, PACK.rules) == Settings(
        levels={"budget": "advisory", "label-values": "disabled"},
        configs={"budget": {"monthly": "5"}, "label-values": {}},
    )


def test_all_gives_a_level_to_every_rule_without_one():
    settings = read_settings('{"all": "advisory", "budget": "mandatory"}', PACK.rules)
    assert settings.levels == {**{rule.name: "advisory" for rule in PACK.rules}, "budget": "mandatory"}


def test_everything_that_is_wrong_is_named_at_once():
    text = """{
        "budgit": "mandatory",
        "all": {"keys": ["team"]},
        "budget": {"monthly": 5, "onExceed": "fial"},
        "label-values": "mandatry",
        "required-labels": {"keys": "team", "labels": {"team": 5}},
        "no-privileged-containers": {"allowed": {"Pod a/b": "reason"}}
    }"""
    with pytest.raises(BadSettings) as error:
        read_settings(text, PACK.rules)
    assert str(error.value).splitlines() == [
        "rule `budgit` is not known; did you mean `budget`?",
        "all: setting `keys` is not known; only enforcementLevel holds for all",
        "budget: setting `monthly` is 5; write a string",
        'budget: setting `onExceed` is "fial"; allowed: fail, warn; did you mean `fail`?',
        "the level of `label-values` is 'mandatry', not advisory, mandatory, disabled; did you mean `mandatory`?",
        "required-labels: setting `labels`, entry team, is 5; write a string",
        'required-labels: setting `keys` is "team"; write a list',
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "the configuration is not JSON (line 1: Expecting property name enclosed in double quotes)"),
        ("[]", "the configuration is not an object of rule names"),
        ('{"budgit": "mandatory"}', "rule `budgit` is not known; did you mean `budget`?"),
        ('{"budget": "strict"}', "the level of `budget` is 'strict', not advisory, mandatory, disabled"),
        ('{"budget": {"montly": "5"}}', "budget: setting `montly` is not known; did you mean `monthly`?"),
        ('{"exemptions-valid": {"a": 1}}', "exemptions-valid: setting `a` is not known; it is one of: none"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(text, problem):
    with pytest.raises(BadSettings) as error:
        read_settings(text, PACK.rules)
    assert str(error.value) == problem

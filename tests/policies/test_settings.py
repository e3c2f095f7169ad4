"""The pack's configuration file."""

from __future__ import annotations

import json

import pytest

from gpucluster.policies.settings import BadSettings, Settings, read_settings
from gpucluster.policies.training import PACK


def test_levels_and_settings_are_read_in_pulumis_form():
    text = '{"budget": {"enforcementLevel": "advisory", "monthly": "5"}, "label-values": "disabled"}'
    assert read_settings(text, PACK.rules) == Settings(
        levels={"budget": "advisory", "label-values": "disabled"},
        configs={"budget": {"monthly": "5"}, "label-values": {}},
    )


def test_all_gives_a_level_to_every_rule_without_one():
    settings = read_settings('{"all": "advisory", "budget": "mandatory"}', PACK.rules)
    assert settings.levels == {**{rule.name: "advisory" for rule in PACK.rules}, "budget": "mandatory"}


def test_only_a_rule_that_mends_takes_level_remediate():
    level = '{"enforcementLevel": "remediate"}'
    labels = {"labels": {"team": "research"}}
    text = json.dumps({"required-labels": {"enforcementLevel": "remediate", **labels}})
    assert read_settings(text, PACK.rules) == Settings(
        levels={"required-labels": "remediate"}, configs={"required-labels": labels}
    )
    with pytest.raises(BadSettings) as error:
        read_settings(f'{{"all": {level}, "label-values": {level}, "required-labels": "remediat"}}', PACK.rules)
    assert str(error.value).splitlines() == [
        "the level of `all` is 'remediate', not advisory, mandatory, disabled",
        "the level of `label-values` is 'remediate', not advisory, mandatory, disabled",
        "the level of `required-labels` is 'remediat', not advisory, mandatory, disabled, remediate; "
        "did you mean `remediate`?",
    ]
    with pytest.raises(BadSettings) as error:
        read_settings(f'{{"required-labels": {level}}}', PACK.rules)
    assert str(error.value) == ("required-labels: level `remediate` needs the setting `labels`, which is missing")


def test_everything_that_is_wrong_is_named_at_once():
    text = """{
        "budgit": "mandatory",
        "all": {"keys": ["team"]},
        "budget": {"monthly": 5, "onExceed": "fial"},
        "label-values": "mandatry",
        "required-labels": {"keys": "team", "labels": {"team": 5}},
        "no-privileged-containers": {"allowed": {"Pod a/b": {"reason": "reason", "images": ["a"]}}}
    }"""
    with pytest.raises(BadSettings) as error:
        read_settings(text, PACK.rules)
    assert str(error.value).splitlines() == [
        "unknown rule `budgit`; did you mean `budget`?",
        "all: setting `keys` is not allowed; only enforcementLevel applies to all rules",
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
        ('{"budgit": "mandatory"}', "unknown rule `budgit`; did you mean `budget`?"),
        ('{"budget": "strict"}', "the level of `budget` is 'strict', not advisory, mandatory, disabled"),
        ('{"budget": {"montly": "5"}}', "budget: unknown setting `montly`; did you mean `monthly`?"),
        ('{"exemptions-valid": {"a": 1}}', "exemptions-valid: unknown setting `a`; it is one of: none"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(text, problem):
    with pytest.raises(BadSettings) as error:
        read_settings(text, PACK.rules)
    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (
            {"training-pool-in-one-domain": {"scaleSetLimit": 1000}},
            "training-pool-in-one-domain: setting `scaleSetLimit` is 1000; allowed: 100 to 300",
        ),
        (
            {"training-pool-in-one-domain": {"scaleSetLimit": "many"}},
            'training-pool-in-one-domain: setting `scaleSetLimit` is "many"; write a whole number',
        ),
        (
            {"storage-throughput": {"mbPerSecondPerGpu": -1}},
            "storage-throughput: setting `mbPerSecondPerGpu` is -1; allowed: at least 0",
        ),
        (
            {"storage-headroom": {"exemptions": ["all of it"]}},
            'storage-headroom: setting `exemptions`, entry 1, is "all of it"; write an object',
        ),
        (
            {"storage-headroom": {"exemptions": [{"resource": "data", "reason": "read only"}]}},
            'storage-headroom: setting `exemptions`, entry 1, is {"resource": "data", "reason": "read only"}; '
            "it lacks owner, until",
        ),
        (
            {"label-values": {"exemptions": []}},
            "label-values: unknown setting `exemptions`; it is one of: none",
        ),
    ],
)
def test_numbers_and_exemptions_are_held_to_what_they_may_be(written, problem):
    with pytest.raises(BadSettings) as error:
        read_settings(json.dumps(written), PACK.rules)
    assert str(error.value) == problem


def test_a_number_within_its_limits_passes():
    written = {"training-pool-in-one-domain": {"scaleSetLimit": 300}, "commitment-cheaper": {"utilisation": 0.7}}
    assert read_settings(json.dumps(written), PACK.rules).configs == written

"""The pack's configuration file."""

from __future__ import annotations

import json

import pytest

from gpucluster.policies.engine.settings import BadSettings, Settings, read_settings
from gpucluster.policies.packs import TRAINING
from tests.cases import cases
from tests.says import Says


def test_levels_and_settings_are_read_in_pulumis_form():
    text = '{"budget": {"enforcementLevel": "advisory", "monthly": "5"}, "label-values": "disabled"}'
    assert read_settings(text, TRAINING.rules) == Settings(
        levels={"budget": "advisory", "label-values": "disabled"},
        configs={"budget": {"monthly": "5"}, "label-values": {}},
    )


def test_all_gives_a_level_to_every_rule_without_one():
    settings = read_settings('{"all": "advisory", "budget": "mandatory"}', TRAINING.rules)
    assert settings.levels == {**{rule.name: "advisory" for rule in TRAINING.rules}, "budget": "mandatory"}


def test_only_a_rule_that_mends_takes_level_remediate():
    level = '{"enforcementLevel": "remediate"}'
    labels = {"labels": {"team": "research"}}
    text = json.dumps({"required-labels": {"enforcementLevel": "remediate", **labels}})
    assert read_settings(text, TRAINING.rules) == Settings(
        levels={"required-labels": "remediate"}, configs={"required-labels": labels}
    )
    with pytest.raises(BadSettings) as error:
        read_settings(f'{{"all": {level}, "label-values": {level}, "required-labels": "remediat"}}', TRAINING.rules)
    assert str(error.value).splitlines() == [
        Says("all", "remediate", "not"),
        Says("label-values", "remediate", "not"),
        Says("required-labels", "remediat", "not", "remediate"),
    ]
    with pytest.raises(BadSettings) as error:
        read_settings(f'{{"required-labels": {level}}}', TRAINING.rules)
    assert str(error.value) == Says("required-labels", "remediate", "labels", "missing")


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
        read_settings(text, TRAINING.rules)
    assert str(error.value).splitlines() == [
        Says("unknown", "budgit", "budget"),
        Says("keys", "not", "only", "enforcementLevel"),
        Says("monthly", "5"),
        Says("onExceed", "fail", "warn", "fail"),
        Says("label-values", "mandatry", "not", "mandatory"),
        Says("required-labels", "labels", "5"),
        Says("required-labels", "keys"),
    ]


@cases
def test_what_cannot_be_used_is_refused_in_one_line(text, problem):
    with pytest.raises(BadSettings) as error:
        read_settings(text, TRAINING.rules)
    assert str(error.value) == problem


@cases
def test_numbers_and_exemptions_are_held_to_what_they_may_be(written, problem):
    with pytest.raises(BadSettings) as error:
        read_settings(json.dumps(written), TRAINING.rules)
    assert str(error.value) == problem


def test_a_number_within_its_limits_passes():
    written = {"training-pool-in-one-domain": {"scaleSetLimit": 300}, "commitment-cheaper": {"utilisation": 0.7}}
    assert read_settings(json.dumps(written), TRAINING.rules).configs == written

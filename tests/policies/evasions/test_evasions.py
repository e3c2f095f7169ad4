"""Each way around a rule ends as its file says, and docs/reference/evasions.md is the table of them."""

from __future__ import annotations

import os

import pytest

from gpucluster.policies.engine.rule import ReportRule
from gpucluster.policies.packs import TRAINING
from tests.policies.evasions.page import PAGE, page
from tests.policies.evasions.tried import KINDS, NO_WAY, OUT_OF_REACH, base_of, evasions, outcome_of

RULES = [rule.name for rule in TRAINING.rules if not isinstance(rule, ReportRule)]


@pytest.mark.parametrize("rule", RULES)
def test_a_way_around_ends_as_its_file_says(rule):
    tried = [(one, one.program) for one in evasions() if one.rule == rule and one.program is not None]
    ends = [(one, *outcome_of(one.told, program, one.config)) for one, program in tried]
    assert [(one.by, one.how, is_, words) for one, is_, words in ends if is_ != one.is_] == []


def test_the_programs_they_start_from_pass():
    configs = {(one.rule, one.of): one.config for one in reversed(evasions()) if one.program is not None}
    bases = {(rule, of): base_of(rule, of) for rule, of in configs}
    ends = {
        of: outcome_of(of[0], type(base)(resources=base.resources, fail=[]), configs[of]) for of, base in bases.items()
    }
    assert ends == dict.fromkeys(configs, (OUT_OF_REACH, []))


def test_every_rule_that_looks_at_programs_has_a_way_of_each_kind():
    assert {(one.rule, one.by) for one in evasions()} == {(rule, kind) for rule in RULES for kind in KINDS}


def test_what_is_not_caught_says_why():
    assert [one.how for one in evasions() if one.is_ in (OUT_OF_REACH, NO_WAY) and not one.because] == []
    assert [one.rule for one in evasions() if not one.how and one.is_ != NO_WAY] == []


def test_the_page_is_up_to_date():
    """Written anew with UPDATE_GOLDEN=1."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.write_text(page(evasions()))
    assert PAGE.read_text() == page(evasions())

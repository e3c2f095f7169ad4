"""Each way around a rule ends as its file says, and docs/evasions.md is the table of them."""

from __future__ import annotations

import os

import pytest

from gpucluster.policies.packs import TRAINING
from gpucluster.policies.rule import ReportRule
from tests.policies.evasions.page import PAGE, page
from tests.policies.evasions.tried import KINDS, NO_WAY, OUT_OF_REACH, base_of, evasions, outcome_of

ALL = evasions()
TRIED = [one for one in ALL if one.program is not None]


@pytest.mark.parametrize("one", TRIED, ids=lambda one: f"{one.rule}: {one.by}: {one.how}")
def test_a_way_around_ends_as_its_file_says(one):
    is_, words = outcome_of(one.told, one.program, one.config)
    assert is_ == one.is_, words


@pytest.mark.parametrize(("rule", "of"), sorted({(one.rule, one.of) for one in TRIED}))
def test_the_program_it_starts_from_passes(rule, of):
    config = next(one.config for one in TRIED if (one.rule, one.of) == (rule, of))
    base = base_of(rule, of)
    assert outcome_of(rule, type(base)(resources=base.resources, fail=[]), config) == (OUT_OF_REACH, [])


@pytest.mark.parametrize("rule", sorted({one.rule for one in ALL}))
def test_a_rule_has_a_way_of_each_kind(rule):
    assert {one.by for one in ALL if one.rule == rule} == set(KINDS)


def test_what_is_not_caught_says_why():
    assert [one.how for one in ALL if one.is_ in (OUT_OF_REACH, NO_WAY) and not one.because] == []
    assert [one.rule for one in ALL if not one.how and one.is_ != NO_WAY] == []


def test_every_rule_that_looks_at_programs_is_here():
    assert {one.rule for one in ALL} == {rule.name for rule in TRAINING.rules if not isinstance(rule, ReportRule)}


def test_the_page_is_up_to_date():
    """Written anew with UPDATE_GOLDEN=1."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.write_text(page(ALL))
    assert PAGE.read_text() == page(ALL)

"""Seeded mistakes: each edit of an example is found by its rule and no other mandatory one; the examples are clean."""

from __future__ import annotations

import pytest

from examples.mistakes import PAGE, mistakes, page
from policies.packs import TRAINING
from policies.rule import ReportRule


@pytest.mark.slow
def test_every_mistake_is_found_by_its_rule_alone_and_no_example_has_any():
    """`make docs` writes the page anew."""
    text, wrong = page()
    assert wrong == []
    assert text == PAGE.read_text()


def test_there_are_more_than_sixty_that_are_known_pitfalls_or_of_every_cloud():
    every = mistakes()
    assert len(every) >= 60
    assert {mistake.of.partition("/")[0] for mistake in every} == {"aws", "azure", "gcp"}


def test_every_rule_finds_one():
    """But the rules that only report, and `price-known`, which speaks where nobody stated a budget."""
    silent = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)} | {"price-known"}
    assert {rule.name for rule in TRAINING.rules} - silent - {mistake.rule for mistake in mistakes()} == set()

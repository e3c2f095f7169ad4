"""docs/rules.md is what the rules say."""

from __future__ import annotations

import pytest

from gpucluster.policies.message import page_of
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.pages import FILE, page
from gpucluster.policies.rule import EXEMPTIONS


def test_the_page_is_up_to_date():
    """`make docs` writes it."""
    assert FILE.read_text() == page()


@pytest.mark.parametrize("rule", TRAINING.rules, ids=lambda rule: rule.name)
def test_the_section_of_a_rule_says_what_why_fix_and_every_setting(rule):
    name, _, anchor = page_of(rule).rpartition("#")
    assert (FILE.parents[1] / name) == FILE
    [section] = [part for part in page().split("\n## ") if part.startswith(f"{anchor}\n")]
    parts = [rule.title, rule.why, rule.fix, f"training {TRAINING.enforcement(rule).value}"]
    parts += [f"- `{name}`" for name in rule.settings if name != EXEMPTIONS]
    assert [part for part in parts if part not in section] == []

"""docs/rules is what the rules say."""

from __future__ import annotations

import pytest

from gpucluster.policies.message import page_of
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.pages import FOLDER, pages, write_pages
from gpucluster.policies.rule import EXEMPTIONS


def test_the_pages_are_up_to_date():
    """`make docs` writes them anew."""
    assert {file.name: file.read_text() for file in FOLDER.glob("*")} == pages()


def test_a_page_of_a_rule_that_is_gone_is_removed(tmp_path):
    (tmp_path / "gone.md").write_text("old")
    write_pages(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(pages())


@pytest.mark.parametrize("rule", TRAINING.rules, ids=lambda rule: rule.name)
def test_a_page_says_what_why_fix_and_every_setting(rule):
    text = (FOLDER.parents[1] / page_of(rule)).read_text()
    parts = [rule.title, rule.why, f"| training | {TRAINING.enforcement(rule).value} |"]
    parts += [f"- `{name}`" for name in rule.settings if name != EXEMPTIONS]
    assert [part for part in parts if part not in text] == []
    assert set(rule.fix.split()) <= set(text.split())


def test_the_index_links_every_page():
    index = pages()["README.md"]
    assert [rule.name for rule in TRAINING.rules if f"]({rule.name}.md)" not in index] == []

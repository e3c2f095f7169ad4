"""Pages of docs/reference are what the rules, the tables and the roles say."""

from __future__ import annotations

from pathlib import Path

from gpucluster.core.catalog.tables import rows
from gpucluster.policies.engine.rule import EXEMPTIONS, page_of
from gpucluster.policies.packs import TRAINING
from tools.pages.tables import node_changes_page as tables_page
from tools.pages.tables import rules_page as page
from tools.pages.tables import submitter_rights_page

FILE = Path(__file__).parents[3] / "docs/reference/rules.md"


def test_the_page_is_up_to_date():
    """`make docs` writes it."""
    assert FILE.read_text() == page()


def test_the_section_of_a_rule_says_what_why_fix_and_every_setting():
    sections = page().split("\n## ")
    for rule in TRAINING.rules:
        name, _, anchor = page_of(rule).rpartition("#")
        assert (FILE.parents[2] / name) == FILE
        [section] = [part for part in sections if part.startswith(f"{anchor}\n")]
        parts = [rule.title, rule.why, rule.fix, f"training {TRAINING.enforcement(rule).value}"]
        parts += [f"- `{name}`" for name in rule.settings if name != EXEMPTIONS]
        assert [part for part in parts if part not in section] == [], rule.name


NODE_CHANGES_FILE = Path(__file__).parents[3] / "docs/reference/node-changes.md"


def test_the_page_of_node_changes_is_up_to_date():
    """`make docs` writes it anew."""
    assert NODE_CHANGES_FILE.read_text() == tables_page()


def test_every_row_is_on_the_page():
    text = tables_page()
    assert [row["source"] for row in rows("node_changes") if row["source"] not in text] == []


def test_the_page_of_a_submitters_rights_is_up_to_date():
    """`make docs` writes it anew."""
    assert (FILE.parent / "submitter-rights.md").read_text() == submitter_rights_page()

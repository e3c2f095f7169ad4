"""Seeded mistakes: each edit of an example is found by its rule and no other mandatory one; the examples are clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from gpucluster.policies.engine.rule import ReportRule
from gpucluster.policies.packs import TRAINING

ROOT = Path(__file__).parents[3]
MISTAKES = yaml.load((ROOT / "examples/mistakes.yaml").read_text(), yaml.CSafeLoader)


@pytest.mark.slow
def test_every_mistake_is_found_by_its_rule_alone_and_no_example_has_any(tmp_path):
    """`make docs` writes the page anew."""
    command = [sys.executable, "-m", "tools.pages", "seeded-mistakes", "--into", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    page = "reference/seeded-mistakes.md"
    assert (tmp_path / page).read_text() == (ROOT / "docs" / page).read_text()


def test_at_least_sixty_are_known_pitfalls_and_each_is_one_that_the_documentation_numbers():
    cited = [mistake["pitfall"].rpartition(" ") for mistake in MISTAKES if "pitfall" in mistake]
    names = {"AWS": "aws", "Google Cloud": "gcp", "Azure": "azure"}
    pages = {cloud: (ROOT / f"docs/reference/pitfalls-{name}.md").read_text() for cloud, name in names.items()}
    assert len(cited) >= 60
    assert [one for one in cited if f"\n| {one[2]} |" not in pages[one[0]]] == []


def test_every_rule_finds_one():
    """But the rules that only report, and `price-known`, which speaks where nobody stated a budget."""
    silent = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)} | {"price-known"}
    found = {mistake["rule"] for mistake in MISTAKES}
    assert {rule.name for rule in TRAINING.rules} - silent - found == set()

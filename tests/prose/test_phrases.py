"""Pages are free of the phrases that `docs/style.md` replaces; help, rules and notes are read as their pages."""

from __future__ import annotations

import csv
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "policies/README.md", "cost/prices/README.md"),
    *("docs/*.md", "docs/rules.md", "docs/examples/*/trial.md", "tests/gpucluster/help.txt"),
)
STYLE = ROOT / "docs/style.md"
"""Quotes the phrases."""


def test_no_page_has_a_phrase_that_the_style_replaces() -> None:
    with Path(__file__).with_name("phrases.csv").open(encoding="utf-8", newline="") as lines:
        rows = [(re.compile(rf"\b{row['avoid']}\b", re.IGNORECASE), row["write"]) for row in csv.DictReader(lines)]
    found = [
        f"{page.relative_to(ROOT)}:{number}: {match[0]!r}; write: {write}"
        for pattern in PAGES
        for page in sorted(ROOT.glob(pattern))
        if page != STYLE
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        for avoid, write in rows
        for match in avoid.finditer(line)
    ]
    assert found == []

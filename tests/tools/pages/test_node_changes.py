"""docs/node-changes.md is what the table says."""

from __future__ import annotations

from pathlib import Path

from gpucluster.core.catalog.tables import rows
from tools.pages.node_changes import page

FILE = Path(__file__).parents[3] / "docs/node-changes.md"


def test_the_page_is_up_to_date():
    """`make docs` writes it anew."""
    assert FILE.read_text() == page()


def test_every_row_is_on_the_page():
    text = page()
    assert [row["source"] for row in rows("node_changes") if row["source"] not in text] == []

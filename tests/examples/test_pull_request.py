"""The committed example of a pull request's comment is what the command gives."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from examples.pull_request import PAGE, SEEDS, comment_on, page

STACKS = ("aws-trial", "azure-trial", "gcp-trial")


def without_lines(text: str) -> str:
    """The page without line numbers, which every edit of a component moves."""
    return re.sub(r"(\.py):\d+", r"\1", text)


@pytest.mark.engine
@pytest.mark.slow
def test_the_example_names_every_seeded_change_with_its_money(tmp_path: Path) -> None:
    comment = comment_on(SEEDS, STACKS, tmp_path)
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page(comment), encoding="utf-8")
    assert without_lines(page(comment)) == without_lines(PAGE.read_text(encoding="utf-8"))

"""Pages, and texts in the code, are free of the phrases that `docs/style.md` replaces."""

from __future__ import annotations

import ast
import csv
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "policies/README.md", "cost/prices/README.md"),
    *("docs/*.md", "docs/rules.md", "docs/examples/*/trial.md", "tests/gpucluster/help.txt"),
)
STYLE = ROOT / "docs/style.md"
"""Quotes the phrases."""


def test_no_page_has_a_phrase_that_the_style_replaces() -> None:
    assert [
        found for page in _pages() for found in _phrases(page, page.read_text(encoding="utf-8").splitlines(), 1)
    ] == []


def test_no_text_of_the_code_has_one() -> None:
    """Docstrings are for readers of the code, but where they are help of a command, whose pages are read."""
    assert [found for file in _code() for line, text in _texts(file) for found in _phrases(file, [text], line)] == []


def _pages() -> list[Path]:
    return [page for pattern in PAGES for page in sorted(ROOT.glob(pattern)) if page != STYLE]


def _code() -> list[Path]:
    folders = sorted(file.parent for file in ROOT.glob("*/__init__.py") if file.parent.name != "tests")
    return [file for folder in folders for file in sorted(folder.rglob("*.py"))]


def _texts(file: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each literal of a module."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def _phrases(file: Path, lines: Iterable[str], first: int) -> Iterator[str]:
    for number, line in enumerate(lines, first):
        for avoid, write in _table():
            for match in avoid.finditer(line):
                yield f"{file.relative_to(ROOT)}:{number}: {match[0]!r}; write: {write}"


@functools.cache
def _table() -> list[tuple[re.Pattern[str], str]]:
    with Path(__file__).with_name("phrases.csv").open(encoding="utf-8", newline="") as lines:
        return [(re.compile(rf"\b{row['avoid']}\b", re.IGNORECASE), row["write"]) for row in csv.DictReader(lines)]

"""The page of the review of the cost module names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.test_pitfalls import ROOT, collected

PAGE = (ROOT / "docs/reference/cost-review.md").read_text()


def test_every_test_that_it_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 30
    missing = [(path, test) for path, test in named if not _is_there(ROOT / "tests" / path, test)]
    assert missing == []


def _is_there(path: Path, test: str) -> bool:
    return test in collected(path) if test else bool(collected(path))

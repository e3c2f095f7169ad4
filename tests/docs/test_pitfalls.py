"""The pages of pitfalls name every one, and nothing that is not there."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from gpucluster.policies.packs import TRAINING

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/reference").glob("pitfalls-*.md"))
ANSWERS = {"prevented", "caught", "out of reach"}
# Pitfalls known on each cloud.
KNOWN = {"aws": 36, "azure": 35, "gcp": 36}


@dataclass(frozen=True, kw_only=True)
class Row:
    number: int
    what: str
    answers: list[str]
    by: str
    proof: str


def rows(page: Path) -> list[Row]:
    table = [line for line in page.read_text().splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]
    return [
        Row(number=int(number), what=what, answers=answers.split(", "), by=by, proof=proof)
        for number, what, answers, by, proof in cells
    ]


def collected(path: Path) -> set[str]:
    """Names of the test functions of a file that pytest collects, or what cases in YAML say."""
    if path.suffix == ".yaml" and path.is_file():
        return {case["says"] for case in yaml.load(path.read_text(), yaml.CSafeLoader)["cases"]}
    if not path.is_file() or not path.name.startswith("test_"):
        return set()
    tree = ast.parse(path.read_text())
    return {item.name for item in tree.body if isinstance(item, ast.FunctionDef) and item.name.startswith("test_")}


@pytest.fixture(params=PAGES, ids=lambda path: path.stem)
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_every_cloud_with_known_pitfalls_has_its_page() -> None:
    assert {path.stem.removeprefix("pitfalls-") for path in PAGES} == set(KNOWN)


def test_every_pitfall_is_there_once_and_in_order(page: Path) -> None:
    known = KNOWN[page.stem.removeprefix("pitfalls-")]
    assert [row.number for row in rows(page)] == list(range(1, known + 1))


def test_every_pitfall_has_an_answer_and_says_by_what(page: Path) -> None:
    for row in rows(page):
        assert row.answers and set(row.answers) <= ANSWERS, row.number
        assert row.what and row.by, row.number


def test_every_pitfall_that_is_prevented_or_caught_is_proven_by_tests_that_exist(page: Path) -> None:
    named = {row.number: re.findall(r"`([^`:]+)::([^`]+)`", row.proof) for row in rows(page)}
    unproven = [row.number for row in rows(page) if row.answers != ["out of reach"] and not named[row.number]]
    assert unproven == []
    missing = [
        (number, *test) for number, tests in named.items() for test in tests if test[1] not in collected(ROOT / test[0])
    ]
    assert missing == []


def test_every_rule_that_is_named_is_one_of_the_pack(page: Path) -> None:
    rules = {rule.name for rule in TRAINING.rules}
    for row in rows(page):
        named = re.search(r"\brules? ((?:`[a-z-]+`(?: and )?)+)", row.by)
        assert set(re.findall(r"`([a-z-]+)`", named[1]) if named else []) <= rules, row.number


def test_every_file_that_is_named_exists(page: Path) -> None:
    for row in rows(page):
        named = re.findall(r"`([a-z_-]+/[^`]+)`", row.by)
        assert [name for name in named if not (ROOT / name).exists()] == [], row.number


def test_whatever_says_it_is_caught_names_a_rule_a_refusal_or_who_says_so(page: Path) -> None:
    for row in rows(page):
        if "caught" in row.answers:
            assert re.search(
                r"\brules? `|tests/stacks/bad/|the plan (?:lists|notes|reports|warns)|the sandbox refuses"
                r"|`components/\S+/checks.py`",
                row.by,
            ), row.number

"""52 questions about prices, asked from outside: what someone else published, against what the book answers.

`outside.csv` has for each the answer, its day and its document, which is never the one that the book has the price
from; `within`: the share by which ours may differ. Eight have no answer anywhere: there the book must know none. `now`:
what the book says to it: right, differs, bounded by other regions, or unknown, and why it is not right.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.prices.lookup import price_or_bound

QUESTIONS = list(csv.DictReader((Path(__file__).parent / "outside.csv").open(newline="")))
REPOSITORY = re.compile(r"(pypi:[\w-]+|[\w.-]+/[\w.-]+)@")


def _name(asked: dict[str, str]) -> str:
    return " ".join(asked[key] for key in ("provider", "region", "sku", "purchase", "term")).strip()


def _answer(asked: dict[str, str], book: PriceBook) -> Price | NotKnown:
    place = asked["provider"], asked["region"], asked["sku"], asked["purchase"], asked["term"]
    return price_or_bound(book, *place, unit=asked["unit"])


def _verdict(asked: dict[str, str], found: Price | NotKnown) -> str:
    if isinstance(found, NotKnown):
        return "unknown"
    if found.instead_of is not None:
        return "bounded"
    apart = abs(found.usd / Decimal(asked["answer"]) - 1)
    return "right" if asked["within"] and apart <= Decimal(asked["within"]) else "differs"


@pytest.mark.parametrize("asked", QUESTIONS, ids=_name)
def test_the_book_answers_as_the_table_says(asked: dict[str, str], book: PriceBook) -> None:
    assert _verdict(asked, _answer(asked, book)) == asked["now"]


@pytest.mark.parametrize("asked", [one for one in QUESTIONS if one["now"] == "right"], ids=_name)
def test_an_answer_is_another_document_than_that_of_the_book(asked: dict[str, str], book: PriceBook) -> None:
    found = _answer(asked, book)
    assert isinstance(found, Price)
    theirs, ours = REPOSITORY.match(asked["source"]), REPOSITORY.match(found.row.source)
    assert theirs is not None
    assert ours is None or theirs[1] != ours[1]


def test_52_are_asked_41_are_right_and_the_others_say_why() -> None:
    assert Counter(one["provider"] for one in QUESTIONS if one["answer"]) == {
        "aws": 19, "azure": 11, "gcp": 10, "crusoe": 2, "nebius": 1, "oci": 1,
    }  # fmt: skip
    assert Counter((bool(one["answer"]), one["now"]) for one in QUESTIONS) == {
        (True, "right"): 41, (True, "differs"): 2, (True, "unknown"): 1, (False, "bounded"): 6, (False, "unknown"): 2,
    }  # fmt: skip
    assert [_name(one) for one in QUESTIONS if one["now"] != "right" and not one["why"]] == []
    assert [_name(one) for one in QUESTIONS if one["within"] > "0.0001" and not one["why"]] == []

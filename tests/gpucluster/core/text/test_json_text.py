"""JSON of others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.core.text.json_text import BadJson, indented, parse
from tests.says import Says


def test_a_value_is_read() -> None:
    assert parse('{"a": [1, null]}') == {"a": [1, None]}


def test_half_a_character_is_read_as_the_mark_for_it() -> None:
    assert parse(r'["\ud83d\ude00", "a\ud83d"]') == ["\U0001f600", "a\ufffd"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{\n"a"}', Says("not", "JSON", "2")),
        ("[" * 100_000, "is nested too deeply"),
        (f"[{'9' * 5000}]", "has a number of too many digits"),
    ],
    ids=["syntax", "depth", "digits"],
)
def test_what_is_wrong_is_said_in_plain_words(text: str, wrong: str) -> None:
    with pytest.raises(BadJson) as refused:
        parse(text)
    assert str(refused.value) == wrong


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"empty": {}, "none": [], "number": 1.5},
        {"rows": [{"a": "},\n      {", "b": 1}, {"é": None}], "deeper": {"list": [1, {"b": [True]}]}},
        {"name of a file": "plan\udcff.json"},
        {"rows": [{}], "with an empty one": [{"a": 1}, {}], "nested": [{"a": []}], "tuple": ({"a": 1},)},
    ],
)
def test_an_indented_text_is_that_of_the_standard_library(document: dict[str, Any]) -> None:
    assert indented(document) == json.dumps(document, indent=2)

"""Texts of users and programs as types, and what is said of those that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from gpucluster.core.text.typed import Source, json_value, read_json, typed, yaml_document
from gpucluster.errors import InputError

FILE = Source(name="one.yaml")
PROGRAM = Source(name="`pulumi stack ls`", fix="check the `pulumi` on PATH", program=True)


class Row(BaseModel):
    name: str
    count: int = Field(default=1, ge=1)
    tags: dict[str, str] = {}


def problems(caught: pytest.ExceptionInfo[InputError]) -> list[str]:
    return list(caught.value.problems)


def test_a_text_of_its_shape_is_read() -> None:
    assert read_json('[{"name": "a", "more": 5}]', list[Row], PROGRAM) == [Row(name="a")]


def test_a_file_has_every_mistake_named_with_what_to_write() -> None:
    given = [{"name": 5, "count": 0}, {"tags": []}, "a", {"name": "a", "tags": {"a\nb": 5}}]
    with pytest.raises(InputError) as caught:
        typed(given, list[Row], FILE, ["line 7: name is given twice; keep one"])
    assert caught.value.source == "one.yaml"
    assert problems(caught) == [
        "line 7: name is given twice; keep one",
        "[0].name is 5, which YAML does not read as text; put it in quotes",
        "[0].count is 0; write a number of at least 1",
        "[1].name is missing; add it",
        "[1].tags is an empty list; write a mapping",
        "[2] is 'a'; write a mapping",
        r"[3].tags.'a\nb' is 5, which YAML does not read as text; put it in quotes",
    ]


def test_an_answer_of_a_program_has_the_change_to_make_for_each() -> None:
    with pytest.raises(InputError) as caught:
        typed([{"name": 5}, {}], list[Row], PROGRAM)
    assert caught.value.source == "`pulumi stack ls`"
    assert problems(caught) == [
        "[0].name is 5, not a text; check the `pulumi` on PATH",
        "[1].name is missing; check the `pulumi` on PATH",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ('warning: new\n{"a": 1}', "the answer is not JSON (line 1: Expecting value) and starts with 'warning: new'"),
        ('{"a": 1}\n{"a": 2}', "the answer is not JSON (line 2: Extra data) and starts with '{\"a\": 1}'"),
        ("[" * 100_000, "the answer is nested too deeply"),
        ("9" * 5000, "the answer has a number of too many digits"),
    ],
    ids=["empty", "blank", "a line before", "two", "deep", "long"],
)
def test_an_answer_that_is_no_json_is_quoted_by_its_first_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        json_value(text, PROGRAM)
    [problem] = problems(caught)
    assert problem.startswith(said)
    assert problem.endswith("; check the `pulumi` on PATH")
    assert len(problem) < 200


def test_a_field_that_is_none_has_the_allowed_ones_named() -> None:
    class Closed(BaseModel, extra="forbid"):
        name: str = ""

    class Outer(BaseModel, extra="forbid"):
        one: Closed | None = None
        rows: list[Closed] = []

    given = [{"one": {"nome": 1}}, {"rows": [{}, {"nome": 1}]}, {"tow": 1}]
    with pytest.raises(InputError) as caught:
        typed(given, list[Outer], FILE)
    assert problems(caught) == [
        "[0].one.nome is not a field here; allowed: name",
        "[1].rows[1].nome is not a field here; allowed: name",
        "[2].tow is not a field here; allowed: one, rows",
    ]


def test_of_very_many_mistakes_the_first_are_listed() -> None:
    with pytest.raises(InputError) as caught:
        typed([5] * 70, list[Row], FILE)
    assert (len(problems(caught)), problems(caught)[-1]) == (51, "and 20 more like these")


@pytest.mark.parametrize(("text", "said"), [(None, "No such file"), (b"\xff", "not UTF-8"), (b"a: [", "line 1")])
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, text: bytes | None, said: str) -> None:
    file = tmp_path / "one.yaml"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(InputError, match=said) as caught:
        yaml_document(file, FILE)
    assert caught.value.source == "one.yaml"


def test_times_of_other_programs_stay_texts(tmp_path: Path) -> None:
    (file := tmp_path / "one.yaml").write_text("at: 2026-11-23T10:00:00Z\n")
    assert yaml_document(file, FILE, foreign=True).data == {"at": "2026-11-23T10:00:00Z"}

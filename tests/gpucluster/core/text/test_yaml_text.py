"""YAML that users write."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gpucluster.core.text.values import shown_value
from gpucluster.core.text.yaml_text import MOST_VALUES, BadYaml, parse, read, read_all
from tests.says import Says


@pytest.mark.parametrize(
    ("text", "older", "newer"),
    [
        ("1:30", "90", "text"),
        ("700:00:00", "2520000", "text"),
        ("1:30.5", "90.5", "text"),
        ("010", "8", "10"),
        ("0777", "511", "777"),
        ("09", "text", "9"),
        ("1_6", "16", "text"),
        ("1_000.5", "1000.5", "text"),
        ("0b1", "1", "text"),
        ("0o14", "text", "12"),
        ("1e3", "text", "1000"),
        ("1.5e3", "text", "1500"),
        ("-.5", "text", "-0.5"),
        ("yes", "true", "text"),
        ("No", "false", "text"),
        ("ON", "true", "text"),
        ("off", "false", "text"),
    ],
)
def test_a_value_with_two_readings_is_named_with_both(text: str, older: str, newer: str) -> None:
    write = " or ".join(reading for reading in (older, newer) if reading != "text")
    assert [str(fault) for fault in parse(f"training:\n  nodes: {text}\n").faults] == [
        f"line 2: training.nodes is {text}, which YAML 1.1 reads as {older} and YAML 1.2 as {newer}; "
        f'write {write}, or "{text}" for the text'
    ]


@pytest.mark.parametrize(
    "text",
    ["0", "16", "-3", "+3", "0x10", "1.5", "1.", ".5", "1.5e+3", ".inf", "-.inf", ".nan", "~", "null", "true", "False",
     "2026-11-21", "four", "1:90", "80:80", "0.1.2", "y", "'010'", '"yes"', "!!str 010", "us-east-1"],
)  # fmt: skip
def test_a_value_with_one_reading_is_no_fault(text: str) -> None:
    assert parse(f"a: {text}").faults == ()


def test_names_are_read_in_one_way_and_come_once() -> None:
    text = "pools:\n  on: {}\n  010: {}\n  a: 1\n  a: 2\n  <<: {b: 1}\n"
    assert [str(fault) for fault in parse(text).faults] == [
        Says("2", "pools.on", "YAML", "1.1", "YAML", "1.2"),
        Says("3", "pools.010", "010", "YAML", "1.1", "8", "YAML", "1.2", "10", "010"),
        "line 5: pools.a is given twice; keep one",
        Says("6", "pools.<<", "YAML", "1.1", "YAML", "1.2"),
    ]


def test_entries_of_lists_are_named_by_their_place() -> None:
    (fault,) = parse("cidrs: [a, {b: [1_0]}]").faults
    assert (fault.line, fault.name) == (1, "cidrs[1].b[0]")


def _merged(depth: int) -> str:
    lines = [f"a{at}: &a{at} {{<<: [{', '.join([f'*a{at - 1}'] * 9)}]}}" for at in range(1, depth)]
    return "\n".join(["a0: &a0 {x: 1}", *lines])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (_merged(12), 5),
        ("\n".join(["a0: &a0 [1]", *(f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]" for at in range(1, 40))]), 13),
        ("labels:\n" + "".join(f"  l{at}: a\n" for at in range(MOST_VALUES)), 10_001),
    ],
    ids=["merge keys", "aliases", "labels"],
)
def test_what_is_too_large_is_refused_before_it_is_built(text: str, line: int) -> None:
    with pytest.raises(BadYaml) as refused:
        parse(text)
    assert str(refused.value) == Says(line, "more", "20,000")


def test_half_a_character_is_refused() -> None:
    with pytest.raises(BadYaml, match=r"^line 2: holds half a character: U\+D83D; write the whole one$"):
        parse('a: 1\nb: "\\ud83d"')


def test_every_document_is_read_or_the_line_of_what_is_wrong_is_said(tmp_path: Path) -> None:
    file = tmp_path / "jobs.yaml"
    file.write_text("a: 1\n---\n---\n[b]\n")
    assert read_all(file) == [{"a": 1}, None, ["b"]]
    file.write_text("a: 1\n---\nb: *c\n")
    with pytest.raises(BadYaml, match=r"^line 3: "):
        read_all(file)


def test_an_anchor_that_holds_itself_is_read() -> None:
    assert isinstance(parse("a: &a [*a]").root, yaml.MappingNode)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(BadYaml, match=r"^line 2: byte 0xff is not UTF-8; save the file as UTF-8$"):
        read(tmp_path / "spec.yaml")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        ({}, "an empty mapping"),
        ({"a": 1}, "a mapping"),
        ([], "an empty list"),
        ([1], "a list"),
        (7.5, "7.5"),
        ("seven", "'seven'"),
        (yaml.safe_load("2026-01-01"), "2026-01-01"),
        ("x" * 99, f"'{'x' * 56}..."),
    ],
)
def test_a_value_is_shown_as_it_would_be_written(value: object, shown: str) -> None:
    assert shown_value(value) == shown

"""The closing block as text, and what the processes of a run hand over for it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from gpucluster.core.program.closing import (
    FOLDER_VARIABLE,
    OUTPUT_VARIABLE,
    Line,
    block,
    hand_over,
    handed_over,
    in_full,
)
from gpucluster.errors import InputError

LINES = [
    Line("Total", "$295,922.54 a month (+$80,445.24, +37.3% since the last update)", "strong"),
    Line("", "floor $1.00"),
    Line("Budget", "over\x1b[2J it", "bad"),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_labels_stand_in_a_column_and_texts_wrap_between_words() -> None:
    assert block(LINES, 40).splitlines() == [
        "Total   $295,922.54 a month",
        "        (+$80,445.24, +37.3% since the",
        "        last update)",
        "        floor $1.00",
        "Budget  over\x1b[2J it",
    ]


def test_a_wrapped_text_keeps_its_indentation() -> None:
    lines = [Line("Failed", "trial.yaml: 1 problem"), Line("", "  training.nodes is 0; write a number")]
    assert block(lines, 30).splitlines() == [
        "Failed  trial.yaml: 1 problem",
        "          training.nodes is 0;",
        "          write a number",
    ]


def test_everything_is_shown_by_one_word_and_another_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, shown in (("full", True), ("", False)):
        monkeypatch.setenv(OUTPUT_VARIABLE, value)
        assert in_full() is shown
    monkeypatch.setenv(OUTPUT_VARIABLE, "Full")
    with pytest.raises(InputError) as refused:
        in_full()
    assert str(refused.value) == "GPUCLUSTER_OUTPUT is 'Full'; write full, or unset it"


def test_a_command_stays_on_one_line() -> None:
    assert block([Line("Next", "pulumi up --stack aws-trial")], 24) == "Next  pulumi up --stack aws-trial"


def test_a_terminal_gets_bold_and_red_and_no_foreign_control_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert block(LINES, 100, Terminal()).splitlines() == [
        "Total   \x1b[1m$295,922.54 a month (+$80,445.24, +37.3% since the last update)\x1b[0m",
        "        floor $1.00",
        "Budget  \x1b[31mover\\x1b[2J it\x1b[0m",
    ]


@pytest.mark.parametrize(("stream", "no_color"), [(io.StringIO(), ""), (Terminal(), "1")], ids=["a pipe", "NO_COLOR"])
def test_there_are_no_colours_in_a_pipe_nor_against_the_users_wish(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, no_color: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    assert "\x1b" not in block(LINES, 100, stream)


def test_a_later_part_of_the_same_name_replaces_the_earlier_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert [hand_over("cost-program", text) for text in ("preview", "update")] == [True, True]
    assert hand_over("spec-trial", "trial.yaml")
    assert handed_over(tmp_path) == {"cost-program": "update", "spec-trial": "trial.yaml"}


def test_nothing_is_handed_over_without_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert not hand_over("cost-program", {})

"""Answers of an account stand in a plan in place of what a reader would have to check."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gpucluster.core.program.asked import Asked, AskedAnswer, age, notes_after_asking, read_asked
from gpucluster.core.program.questions import Question
from gpucluster.errors import InputError

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
QUOTAS = "required quotas: 960 vCPUs, 5,000 interfaces"
CARDS = Question(
    about="quota", subject="L-DF5E4CA3", needed=200, place="us-east-1", title="network interfaces", note=QUOTAS
)
CORES = Question(about="quota", subject="L-417A185B", needed=960, unit="vCPUs", place="us-east-1", note=QUOTAS)
ROLE = Question(about="role", subject="AWSServiceRoleForEC2Spot", note="spot machines start only with a role")
SILENT = Question(about="caller", subject="account")
NOTES = (QUOTAS, "access.cidrs is an example", "spot machines start only with a role")


def _asked(*answers: AskedAnswer) -> Asked:
    return Asked(stack="dev", at=NOW - timedelta(hours=3), answers=[*answers])


def _answer(question: Question, verdict: str = "fine", found: str = "there", fix: str = "") -> AskedAnswer:
    return AskedAnswer(
        about=question.about,
        subject=question.subject,
        place=question.place,
        needed=question.needed,
        verdict=verdict,
        found=found,
        fix=fix,
    )


def _notes(*answers: AskedAnswer) -> tuple[str, ...]:
    return notes_after_asking(NOTES, [CARDS, CORES, ROLE, SILENT], _asked(*answers), NOW)


AGAIN = "again: gpucluster preflight --stack dev --save"


def test_fine_answers_take_the_place_of_their_note() -> None:
    assert _notes(_answer(CARDS), _answer(CORES), _answer(SILENT)) == (
        f"the account was asked 3 hours ago: 3 of 4 answers are fine, 1 not asked; {AGAIN}",
        "access.cidrs is an example",
        "spot machines start only with a role",
    )


def test_an_answer_that_is_not_fine_is_a_note() -> None:
    short = _answer(CORES, "stops up", "384 vCPUs, 192 in use", "ask for 1,152")
    assert _notes(_answer(CARDS), short, _answer(ROLE), _answer(SILENT)) == (
        f"the account was asked 3 hours ago: 3 of 4 answers are fine; {AGAIN}",
        "stops up: L-417A185B in us-east-1: 384 vCPUs, 192 in use, needed: 960 vCPUs; ask for 1,152",
        "access.cidrs is an example",
    )


def test_a_note_stays_until_all_of_its_questions_have_an_answer() -> None:
    assert _notes(_answer(CARDS))[1:] == NOTES


def test_a_plan_that_needs_more_is_not_answered() -> None:
    less = _answer(CORES).model_copy(update={"needed": 768})
    assert _notes(_answer(CARDS), less)[1:] == NOTES


def test_answers_to_other_plans_change_nothing() -> None:
    assert _notes(_answer(Question(about="quota", subject="other"))) == NOTES


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (timedelta(seconds=-5), "less than a minute"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=60), "1 minute"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=47), "1 day"),
        (timedelta(days=402), "402 days"),
    ],
)
def test_the_age_is_told_in_the_largest_whole_unit(since: timedelta, expected: str) -> None:
    assert age(since) == expected


def test_a_file_without_answers_has_none(tmp_path: Path) -> None:
    assert read_asked(tmp_path / "account.dev.yaml") is None


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("", ["asked"]),
        ("asked: {stack: dev, at: yesterday, answers: []}\n", ["asked.at"]),
        ("asked: {stack: dev, at: '2026-11-29T12:00:00', answers: [{about: quota}]}\n", ["asked.at", "subject"]),
        ("asked: [\n", ["line"]),
    ],
)
def test_a_broken_file_ends_with_its_mistakes(tmp_path: Path, text: str, mistakes: list[str]) -> None:
    file = tmp_path / "account.dev.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_asked(file)
    assert [mistake for mistake in mistakes if mistake in str(caught.value)] == mistakes
    assert "gpucluster preflight --save" in str(caught.value)

"""The answers of an account in a file, `account.STACK.yaml` beside a stack's configuration.

`gpucluster preflight --save` writes it, plans show its answers in place of what they would ask a reader to check, and
the sandbox takes it as a scenario.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict

from gpucluster.core.program.questions import Question
from gpucluster.core.text.type_guards import is_object
from gpucluster.core.text.typed import Source, typed, yaml_document

FINE: Final = "fine"
"""The verdict of an answer that leaves nothing to do."""


class AskedAnswer(BaseModel):
    """One answer: the question by its kind, subject and place, what was needed, and what the account has."""

    model_config = ConfigDict(extra="forbid")

    about: str
    subject: str
    place: str = ""
    needed: int | str | None = None
    verdict: str
    found: str
    fix: str = ""

    def answers(self, question: Question) -> bool:
        """Whether it is the answer to a question; a plan that needs more has another question."""
        return (self.about, self.subject, self.place, self.needed) == (
            question.about,
            question.subject,
            question.place,
            question.needed,
        )


class Asked(BaseModel):
    """at: when the account was asked."""

    model_config = ConfigDict(extra="forbid")

    stack: str
    at: AwareDatetime
    answers: list[AskedAnswer]


class _File(BaseModel):
    """The part of the file that plans read; the rest is a scenario's."""

    asked: Asked


def read_asked(file: Path) -> Asked | None:
    """The answers of a file; None if there is no such file. Raises InputError with every mistake."""
    if not file.is_file():
        return None
    source = Source(name=str(file), fix="write it again: gpucluster preflight --save")
    found = yaml_document(file, source)
    content: Any = found.data if is_object(found.data) else {"asked": found.data}
    return typed(content, _File, source, [str(fault) for fault in found.faults]).asked


def notes_after_asking(
    notes: Sequence[str], questions: Sequence[Question], asked: Asked, now: datetime
) -> tuple[str, ...]:
    """The notes of a plan with answers in place of those whose questions all have one. An answer that leaves something
    to do is its own note; those that are fine are counted in the first one.
    """
    answers = {id(question): _answer_to(question, asked) for question in questions}
    open_notes = {question.note for question in questions if question.note and answers[id(question)] is None}
    closed = {question.note for question in questions if question.note} - open_notes
    known = [(question, answer) for question in questions if (answer := answers[id(question)])]
    if not known:
        return tuple(notes)
    return (
        _summary([answer for _, answer in known], len(questions), asked, now),
        *(f"{_note(question, answer)}" for question, answer in known if answer.verdict != FINE),
        *(note for note in notes if note not in closed),
    )


def _answer_to(question: Question, asked: Asked) -> AskedAnswer | None:
    return next((answer for answer in asked.answers if answer.answers(question)), None)


def _summary(answers: Sequence[AskedAnswer], count: int, asked: Asked, now: datetime) -> str:
    fine = sum(answer.verdict == FINE for answer in answers)
    again = f"gpucluster preflight --stack {asked.stack} --save"
    rest = count - len(answers)
    missing = f", {rest} not asked" if rest else ""
    return (
        f"the account was asked {age(now - asked.at)} ago: {fine} of {count} answers are fine{missing}; again: {again}"
    )


def _note(question: Question, answer: AskedAnswer) -> str:
    place = f" in {question.place}" if question.place else ""
    wanted = "" if question.needed is None else f", needed: {' '.join(_parts(question))}"
    fix = f"; {answer.fix}" if answer.fix else ""
    return f"{answer.verdict}: {question.title or question.subject}{place}: {answer.found}{wanted}{fix}"


def _parts(question: Question) -> Iterator[str]:
    yield f"{question.needed:,}" if isinstance(question.needed, int) else str(question.needed)
    if question.unit:
        yield question.unit


_STEPS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_MOMENT: Final = timedelta(minutes=1)


def age(since: timedelta) -> str:
    """`3 hours`; below a minute, and for a clock that was set back, `less than a minute`."""
    if since < _MOMENT:
        return "less than a minute"
    seconds = int(since.total_seconds())
    step, unit = next((step, unit) for step, unit in _STEPS if seconds >= step)
    count = seconds // step
    return f"{count:,} {unit}{'s' * (count != 1)}"


def now() -> datetime:
    """The time on which ages are based."""
    return datetime.now(UTC)

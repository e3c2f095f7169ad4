"""What an account answered, and what it means for `up`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk


class Verdict(StrEnum):
    """What an answer means for `up`."""

    STOPS = "stops up"
    UNKNOWN = "can't tell"
    WARNS = "warns"
    FINE = "fine"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """found: the account's value, in the words and the unit of what is needed; for an unknown one, why. fix: what to
    do, empty if nothing. command: that does it, or shows more. scenario: the same as parts of a scenario of the
    sandbox, so that it refuses what this account refuses.
    """

    question: Question
    verdict: Verdict
    found: str
    fix: str = ""
    command: str = ""
    scenario: Mapping[str, Sequence[Mapping[str, Any]]] = field(
        default_factory=dict[str, "Sequence[Mapping[str, Any]]"]
    )

    @property
    def blocks(self) -> bool:
        """Whether `up` should not start: it would fail, or a question that decides has no answer."""
        return self.verdict is Verdict.STOPS or (self.verdict is Verdict.UNKNOWN and self.question.decides)


def refused(question: Question, found: str, fix: str = "", command: str = "", **more: Any) -> Answer:
    """The answer no: it stops `up` if the question decides."""
    verdict = Verdict.STOPS if question.decides else Verdict.WARNS
    return Answer(question=question, verdict=verdict, found=found, fix=fix, command=command, **more)


def fine(question: Question, found: str, **more: Any) -> Answer:
    """The answer yes."""
    return Answer(question=question, verdict=Verdict.FINE, found=found, **more)


def unknown(question: Question, why: str, fix: str = "", command: str = "") -> Answer:
    """No answer. why: the reason."""
    return Answer(question=question, verdict=Verdict.UNKNOWN, found=why, fix=fix, command=command)


Asker = Callable[[Sequence[Question]], Sequence[Answer]]
"""Answers every question that it is given, with as few requests as it can; raises CannotAsk, or what the cloud's SDK
raises.
"""


@dataclass(frozen=True, kw_only=True)
class Account:
    """identity: who asks, for a reader. askers: about -> who answers; askers that are one object get their questions
    together. explained: what an exception of the cloud's SDK means; None for one that is no answer of the cloud.
    """

    identity: str
    askers: Mapping[str, Asker]
    explained: Callable[[Exception], CannotAsk | None] = lambda _: None

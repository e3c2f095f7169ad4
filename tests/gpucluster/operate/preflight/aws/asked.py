"""Questions and answers in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer

__all__ = ["all_said", "question", "said"]


def question(
    about: str,
    subject: str,
    needed: int | str | None = None,
    *,
    place: str = "us-east-1",
    details: Mapping[str, str] | None = None,
    decides: bool = True,
) -> Question:
    """unit, title and note play no part in an answer."""
    return Question(about=about, subject=subject, needed=needed, place=place, details=details or {}, decides=decides)


def said(answer: Answer) -> tuple[str, str]:
    """Its verdict and what was found."""
    return str(answer.verdict), answer.found


def all_said(answers: Sequence[Answer]) -> list[tuple[str, str]]:
    return [said(answer) for answer in answers]

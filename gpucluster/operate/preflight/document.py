"""Answers as a table and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from gpucluster.core.documents.document import Document, Row, Section, Table
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, Verdict

_ORDER: Final = tuple(Verdict)


@dataclass(frozen=True, kw_only=True)
class Found:
    """stack: its name. identity: who asked; None if no account could be asked, for the reason `not_asked`. asked: the
    time.
    """

    stack: str
    identity: str | None
    not_asked: CannotAsk | None
    answers: Sequence[Answer]
    asked: datetime

    @property
    def blocked(self) -> int:
        """The number of answers with which `up` should not start."""
        return sum(answer.blocks for answer in self.answers)


def preflight_document(found: Found) -> Document:
    """What stops `up` first."""
    return Document(
        title=f"Preflight of {found.stack}, {found.identity or 'no account'}",
        answer=_verdict(found),
        sections=lambda: _sections(found),
        model=lambda: _model(found),
    )


def _verdict(found: Found) -> str:
    count = Counter(answer.verdict for answer in found.answers)
    parts = [f"{count[verdict]} {verdict}" for verdict in _ORDER if count[verdict]]
    return f"{len(found.answers)} asked: {', '.join(parts)}" if parts else "Nothing to ask."


def _sections(found: Found) -> Iterator[Section]:
    if found.not_asked is not None:
        advice = [text for text in (found.not_asked.fix, found.not_asked.command) if text]
        yield ": ".join([f"The account was not asked: {found.not_asked.reason}", *advice])
    rows = [_row(answer) for answer in sorted(found.answers, key=lambda one: _ORDER.index(one.verdict))]
    yield Table(
        heads=("asked", "needed", "found", "verdict"),
        rows=rows,
        left=(0, 1, 2, 3),
        across=True,
        caption="Answers",
        stacked=(2, 1),
        wide=2,
    )


def _row(answer: Answer) -> Row:
    asked = answer.question
    name = f"{asked.title} ({asked.subject})" if asked.title else asked.subject
    cells = [f"{name}, {asked.place}" if asked.place else name, needed(asked), answer.found, str(answer.verdict)]
    lines = [answer.command] if answer.command else []
    return Row(cells, [answer.fix] if answer.fix else [], lines=lines, bad=answer.blocks)


def needed(question: Question) -> str:
    """The need, with its unit."""
    if question.needed is None:
        return "there"
    amount = f"{question.needed:,}" if isinstance(question.needed, int) else question.needed
    return f"{amount} {_one(question.unit) if question.needed == 1 else question.unit}".rstrip()


def _one(unit: str) -> str:
    """`addresses` -> `address`, `policies` -> `policy`, `VPCs` -> `VPC`."""
    for many, one in (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("s", "")):
        if unit.endswith(many):
            return unit.removesuffix(many) + one
    return unit


def _model(found: Found) -> Mapping[str, Any]:
    why = found.not_asked
    return {
        "schema_version": 1,
        "stack": found.stack,
        "asked_at": found.asked.isoformat(timespec="seconds"),
        "identity": found.identity,
        "not_asked": None if why is None else {"reason": why.reason, "fix": why.fix, "command": why.command},
        "blocked": found.blocked,
        "answers": [_answer(answer) for answer in found.answers],
    }


def _answer(answer: Answer) -> Mapping[str, Any]:
    asked = answer.question
    return {
        "about": asked.about,
        "subject": asked.subject,
        "title": asked.title,
        "place": asked.place,
        "needed": asked.needed,
        "unit": asked.unit,
        "decides": asked.decides,
        "verdict": str(answer.verdict),
        "found": answer.found,
        "fix": answer.fix,
        "command": answer.command,
    }

"""Asks all questions at once, and has one answer for each, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Account, Answer, Asker, unknown

_AT_ONCE: Final = 16
"""Requests at a time: far below the rates that the clouds allow for one caller, and enough for 30 askers in seconds."""


def ask(
    account: Account, questions: Sequence[Question], progress: Callable[[int, int], None] | None = None
) -> list[Answer]:
    """The answers, in the order of the questions. progress: gets the number of answered questions, and of all."""
    groups = _groups(account.askers, questions)
    found = {
        id(question): unknown(question, "this version has no way to ask it")
        for question in questions
        if question.about not in account.askers
    }
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        running = {pool.submit(_answers, account, asker, asked): asked for asker, asked in groups}
        for done in as_completed(running):
            found |= {id(answer.question): answer for answer in done.result()}
            if progress:
                progress(len(found), len(questions))
    return [found[id(question)] for question in questions]


def not_asked(questions: Sequence[Question]) -> list[Answer]:
    """The answers where no account can be asked at all."""
    return [unknown(question, "not asked") for question in questions]


def _groups(askers: Mapping[str, Asker], questions: Sequence[Question]) -> list[tuple[Asker, list[Question]]]:
    groups: dict[int, tuple[Asker, list[Question]]] = {}
    for question in questions:
        if asker := askers.get(question.about):
            groups.setdefault(id(asker), (asker, []))[1].append(question)
    return list(groups.values())


def _answers(account: Account, asker: Asker, questions: Sequence[Question]) -> list[Answer]:
    try:
        answers = {id(answer.question): answer for answer in asker(questions)}
    except CannotAsk as error:
        why = error
    except Exception as error:  # A fault of one question must not hide the answers of the others.
        why = account.explained(error) or CannotAsk(f"{type(error).__name__}: {_first_line(error)}")
    else:
        why = CannotAsk("the account has not answered it")
        return [answers.get(id(one)) or unknown(one, why.reason) for one in questions]
    return [unknown(question, why.reason, why.fix, why.command) for question in questions]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0]

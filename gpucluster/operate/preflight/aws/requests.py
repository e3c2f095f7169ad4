"""Questions that are asked one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.errors import explained
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, Asker, unknown

_AT_ONCE: Final = 8
"""Below the burst of GetServiceQuota and of EC2's Describe calls. Source: Amazon EC2 API, "Request throttling"."""


def one_by_one(ask_one: Callable[[Question], Answer]) -> Asker:
    """Asks each question by itself, several at once: a refused one leaves the answers of the others."""

    def answer(question: Question) -> Answer:
        try:
            return ask_one(question)
        except Exception as error:
            why = explained(error)
            if why is None:
                raise
            return unknown(question, why.reason, why.fix, why.command)

    def ask(questions: Sequence[Question]) -> Sequence[Answer]:
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            return list(pool.map(answer, questions))

    return ask


def attempted(ask: Callable[[], Any]) -> Any | CannotAsk:
    """What a request answers, or why it has no answer: for facts that a verdict can do without."""
    try:
        return ask()
    except Exception as error:
        why = explained(error)
        if why is None:
            raise
        return why

"""Answers of a project to one question or to a plan's."""

from __future__ import annotations

from typing import Any

import requests

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client
from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.gcp import open_account
from gpucluster.operate.preflight.gcp.account import account_of
from gpucluster.operate.preflight.gcp.own_use import Own
from tests.components.gcp.planning.test_plan import HERE, plan

__all__ = ["answers_of", "client", "of_account", "one", "summary"]


def client() -> Client:
    """Of the project of the examples, without a login."""
    return Client(project="my-project", session=requests.Session())


def answers_of(*questions: Question) -> list[Answer]:
    """As a plan with these questions gets them."""
    return ask(account_of(client(), "ada@example.com", Own(client(), plan())), questions)


def one(about: str, subject: str, needed: Any = None, place: str = "", **more: Any) -> Answer:
    """The answer to one question; `unit` and `decides` as of Question, all else are its details."""
    own = {name: more.pop(name) for name in ("unit", "decides", "title") if name in more}
    [found] = answers_of(Question(about=about, subject=subject, needed=needed, place=place, details=more, **own))
    return found


def summary(answer: Answer) -> tuple[str, str, str]:
    """Verdict, what was found, and the advice."""
    return str(answer.verdict), answer.found, answer.fix


def of_account(plan: Any) -> list[Answer]:
    """All answers of a plan, with a login."""
    return ask(open_account(plan, HERE), plan.facts.questions)

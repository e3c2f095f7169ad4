"""A question whose answer is the same in every version of the price book, and the project as a user has it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucluster.cost.prices import PriceBook
from gpucluster.operate.quote.market import known_regions
from gpucluster.operate.quote.question import Question, question_of
from gpucluster.operate.quote.quotes import Answer, answer


def asked(**given: str) -> Question:
    """The question of options; `lasting` is `--for`."""
    options = {"for" if name == "lasting" else name: text for name, text in given.items()}
    return question_of(options, known_regions(PriceBook()))


def nobody(text: str) -> None:
    del text


@pytest.fixture(scope="session")
def ask() -> Callable[..., Answer]:
    """`ask(gpus=..., lasting=...)`: the answer."""
    return lambda **given: answer(asked(**given), PriceBook(), nobody)


@pytest.fixture(scope="session")
def home(ask: Callable[..., Answer]) -> Answer:
    """What the home region of one cloud answers, in which everything has a price."""
    return ask(gpus="64", lasting="30d", clouds="aws", regions="us-east-1")

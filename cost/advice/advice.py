"""One piece of advice."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["commitment", "by-the-day", "elastic", "storage-step", "storage-tier"]


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a piece of advice: name with unit, value, and origin."""

    name: str
    value: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class Advice:
    """text: the fact and the change to make. saves: USD per month, or once for the whole duration if `once`; None for a
    threshold. inputs: all inputs of the numbers in the text, in the order in which they appear.
    """

    kind: Kind
    subject: str
    text: str
    saves: Decimal | None
    inputs: tuple[Input, ...]
    once: bool = False

"""One piece of advice."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["commitment", "block-size", "by-the-day", "elastic", "storage-step", "storage-tier"]


@dataclass(frozen=True, slots=True)
class Input:
    """A number that advice follows from: its name with the unit, its value, and where it comes from."""

    name: str
    value: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class Advice:
    """text: what to know and what to change. saves: USD a month, or of the whole stay where `once`; None where it is a
    threshold. inputs: everything the numbers of the text follow from, in the order in which they come.
    """

    kind: Kind
    subject: str
    text: str
    saves: Decimal | None
    inputs: tuple[Input, ...]
    once: bool = False

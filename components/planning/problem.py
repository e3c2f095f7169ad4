"""A mistake in a user's input, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """field: its full name as the user writes it, such as access.admins[0]; empty if no field is at fault.
    seen: the value found, in words that follow the name. fix: allowed values, and the change to make.
    """

    field: str
    seen: str
    fix: str = ""

    def __str__(self) -> str:
        told = f"{self.field} {self.seen}".strip()
        return f"{told}; {self.fix}" if self.fix else told


class BadSpecValue(ValueError):
    """Problems that the spec's own rules find in one value.

    problems: their fields are keys of that value, empty if they concern all of it.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))

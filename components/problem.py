"""A mistake in what a user wrote, as a value."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.record import record


@record
class Problem:
    """field: its full name as the user writes it, such as access.admins[0]; empty where no field is at fault.
    seen: what is there, in words that follow the name. fix: values that are allowed, and the change to make.
    """

    field: str
    seen: str
    fix: str = ""

    def __str__(self) -> str:
        told = f"{self.field} {self.seen}".strip()
        return f"{told}; {self.fix}" if self.fix else told


class BadSpecValue(ValueError):
    """What a rule of the spec's own finds wrong with one value.

    problems: their fields are keys of that value, empty where they are about all of it.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))

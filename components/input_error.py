"""What every mistake of a user becomes: where it is, and one line for each problem."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["InputError", "did_you_mean"]


class InputError(Exception):
    """Input that can't be used. source: the file or stack. problems: one line for each mistake.

    others: what is wrong in further sources, told with it. A source without problems is not named.
    """

    def __init__(self, source: str, problems: Sequence[str], *others: InputError) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        own = [f"{source}: {count}", *(f"  {problem}" for problem in problems)] if problems else []
        super().__init__("\n".join([*own, *map(str, others)]))


def did_you_mean(text: str, allowed: Iterable[str], *, alike: float = 0.6) -> str:
    """A closing question with the nearest of the allowed words; empty when none is near.

    alike: least likeness, from 0 to 1. Among equals, swapped letters come before others.
    """
    close = difflib.get_close_matches(text, list(allowed), n=5, cutoff=alike)
    if not close:
        return ""

    def nearness(word: str) -> tuple[float, bool]:
        return difflib.SequenceMatcher(None, word, text).ratio(), sorted(word) == sorted(text)

    return f"; did you mean {max(close, key=nearness)}?"

"""Errors of the user's input: the location, and one line for each problem."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(text: str, allowed: Iterable[str], *, alike: float = 0.6) -> str:
    """A closing question with the nearest allowed word; empty if none is near.

    alike: least likeness, from 0 to 1. Among equals, swapped letters come before others.
    """
    close = difflib.get_close_matches(text, list(allowed), n=5, cutoff=alike)
    if not close:
        return ""

    def nearness(word: str) -> tuple[float, bool]:
        return difflib.SequenceMatcher(None, word, text).ratio(), sorted(word) == sorted(text)

    return f"; did you mean {max(close, key=nearness)}?"

"""Whether patterns with `*` and `?` match every name there can be, one by one or together.

They are read as one automaton: what is left to match of each pattern, after each letter.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from typing import Final

_LONG: Final = 12
"""Letters of `RunInstances`. Patterns that miss shorter names only, such as `?????*`, match every name that counts."""

_STEPS: Final = 2_000
"""No policy that somebody reads needs as many; what does is taken for everything."""

_OTHER: Final = "\0"


def every_name(patterns: Sequence[str]) -> bool:
    """Whether each name of 12 small letters and digits or more, a letter first, is matched by one of the patterns."""
    written = {letter for pattern in patterns for letter in pattern if letter not in "*?"}
    of_names = written | ({_OTHER} if set(string.ascii_lowercase + string.digits) - written else set[str]())
    first_of_names = (
        of_names - set(string.digits) - ({_OTHER} if set(string.ascii_lowercase) <= written else set[str]())
    )
    waiting: list[tuple[frozenset[str], int]] = [(frozenset(_without_stars(pattern) for pattern in patterns), 0)]
    seen = set(waiting)
    while waiting:
        left, length = waiting.pop()
        if "*" in left:
            continue
        if not left or (length == _LONG and not any(rest in ("", "*") for rest in left)):
            return False
        for letter in sorted(of_names if length else first_of_names):
            after = frozenset(rest for pattern in left for rest in _after(pattern, letter))
            if (step := (after, min(length + 1, _LONG))) not in seen:
                seen.add(step)
                waiting.append(step)
        if len(seen) > _STEPS:
            return True
    return True


def _after(pattern: str, letter: str) -> Iterator[str]:
    """What is left of a pattern to match after a letter, in each way that it can match it."""
    if pattern.startswith("*"):
        yield pattern
        yield from _after(pattern[1:], letter)
    elif pattern and pattern[0] in ("?", letter):
        yield pattern[1:]


def _without_stars(pattern: str) -> str:
    """With one star for several in a row."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern

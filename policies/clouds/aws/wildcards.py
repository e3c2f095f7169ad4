"""Whether patterns with `*` and `?`, alone or together, match every possible name.

They run as one automaton, whose state is the rest of each pattern after each letter.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from typing import Final

_LONG: Final = 12
"""Letters of `RunInstances`. Patterns that miss only shorter names, such as `?????*`, match every relevant name."""

_STEPS: Final = 2_000
"""No readable policy needs as many; one that does counts as matching everything."""

_OTHER: Final = "\0"


def every_name(patterns: Sequence[str]) -> bool:
    """Whether each name of 12 or more lower case letters and digits, a letter first, matches one of the patterns."""
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
    """The rests of a pattern after a letter, one for each way to match it."""
    if pattern.startswith("*"):
        yield pattern
        yield from _after(pattern[1:], letter)
    elif pattern and pattern[0] in ("?", letter):
        yield pattern[1:]


def _without_stars(pattern: str) -> str:
    """With one star in place of several in a row."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern

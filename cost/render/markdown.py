"""Text of others inside Markdown: shown as it is, and never a link, a mention, markup or a new row."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["code", "marker"]

_MOST: Final = 80
"""Characters of a name; what is longer is cut."""


def code(text: str) -> str:
    """`text` as a code span of one line that also stands in a table, cut to 80 characters.

    Nothing inside a code span is a mention, a reference, an entity, an emoji or HTML. A pipe would end the cell even
    there, and escaping it fails behind a backslash, so it becomes a broken bar.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split()).replace("|", "¦")
    line = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    if not line:
        return "` `"
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def marker(name: str, stack: str) -> str:
    """A line that no reader sees, by which a comment of ours about one stack is found again."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", stack)[:_MOST]
    return f"<!-- gpucluster {name} {kept} -->"

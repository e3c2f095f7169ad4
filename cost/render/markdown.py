"""Parts of Markdown comments: rows, lists that fit, and foreign text, never as a link, a mention or markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, TypeVar

LONGEST: Final = 65_536
"""GitHub's limit for a comment in characters."""

_Item = TypeVar("_Item")

_MOST: Final = 80
"""Maximum characters of a name; longer ones are cut."""


def code(text: str, most: int = _MOST) -> str:
    """`text` as a code span of one line, usable in a table, cut to `most` characters.

    Nothing inside a code span is a mention, a reference, an entity, an emoji or HTML. A pipe would end the cell even
    there, and escaping it fails behind a backslash, so it becomes a broken bar.
    """
    line = _on_one_line(text).replace("|", "¦")
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    if not line:
        return "` `"
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def marker(name: str, stack: str) -> str:
    """An invisible line that identifies our comment about one stack."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", stack)[:_MOST]
    return f"<!-- gpucluster {name} {kept} -->"


def row(*cells: str) -> str:
    """A row of a table."""
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)


_LIVE: Final = re.compile(r"@|#\d|\bGH-\d|://|www\.|\b[0-9a-f]{7,64}\b|:[\w+-]+:|\$(?![\d/])|[`\\]", re.IGNORECASE)
"""What GitHub turns into a link, a mention, an emoji or mathematics anywhere in a word: users, teams and mail
addresses, issues, URLs, commits. It does so in the text after Markdown processing, so no backslash and no entity
prevents it, but it skips code (docs.github.com, "Autolinked references and URLs"; html-pipeline,
MentionFilter, IGNORE_PARENTS; cmark-gfm, extensions/autolink.c, postprocess_text).
"""
_MARKUP: Final = re.compile(r"[*_|<>\[\]~&]")
_OPENS: Final = re.compile(r"#{1,6}|[-+=]+|\d{1,9}[.)]")
"""A first word that would start a heading, a list or a line."""
_EDGES: Final = re.compile(r"([(\"']*)(.*?)([)\"'.,;:]*)")
"""Punctuation around a word."""


def escaped(text: str) -> str:
    """Text that Markdown shows unchanged, on one line; words that GitHub would link are code."""
    words = _on_one_line(text).split()
    shown = [_word(word) for word in words]
    return " ".join([code(words[0]), *shown[1:]] if len(words) > 1 and _OPENS.fullmatch(words[0]) else shown)


def _word(word: str) -> str:
    if not _LIVE.search(word):
        return _MARKUP.sub(r"\\\g<0>", word)
    before, live, after = _EDGES.fullmatch(word).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return f"{before}{code(live, len(live))}{after}"


def _on_one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, words: Collection[int] = (0,)) -> Iterator[str]:
    """Lines of a table. words: left-aligned columns; the others contain figures."""
    yield row(*map(escaped, heads))
    yield "|" + "".join(" --- |" if at in words else " ---: |" for at in range(len(heads)))
    for cells in rows:
        yield row(*map(escaped, cells))


def bytes_of(lines: Sequence[str]) -> int:
    """Bytes of the lines in UTF-8, each with its end."""
    return sum(len(line.encode()) + 1 for line in lines)


def fitting(
    items: Sequence[_Item], show: Callable[[_Item], str], room: int, rest: Callable[[Sequence[_Item]], str]
) -> list[str]:
    """The first items that fit into `room` bytes, one line each, and the text of `rest` for the others."""
    shown: list[str] = []
    for item in items:
        line = show(item)
        room -= bytes_of([line])
        if room < 0:
            break
        shown.append(line)
    left = items[len(shown) :]
    return [*shown, rest(left)] if left else shown

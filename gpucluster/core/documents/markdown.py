"""A document as Markdown. Foreign text is never a link, a mention or markup, and a comment keeps to its limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from gpucluster.core.documents.document import (
    QUOTED,
    Document,
    Folded,
    Heading,
    Notes,
    Row,
    Section,
    Table,
    sentence,
)

_Item = TypeVar("_Item")

_MOST: Final = 80
"""Maximum characters of a name; longer ones are cut."""


_LINE: Final = 400
"""Maximum characters of a line to copy."""


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
    """Text that Markdown shows unchanged, on one line; quoted text, and words that GitHub would link, are code."""
    shown: list[str] = []
    end = 0
    for found in QUOTED.finditer(text):
        shown += [_escaped(text[end : found.start()]), code(found[2], int(found[1]))]
        end = found.end()
    return "".join([*shown, _escaped(text[end:])]).strip()


def _escaped(text: str) -> str:
    """With one blank in place of those around it."""
    words = _on_one_line(text).split()
    shown = [_word(word) for word in words]
    if len(words) > 1 and _OPENS.fullmatch(words[0]):
        shown[0] = code(words[0])
    before, after = (" " if text[end].isspace() else "" for end in (0, -1)) if text else ("", "")
    return f"{before}{' '.join(shown)}{after}" if words else before


def _word(word: str) -> str:
    if not _LIVE.search(word):
        return _MARKUP.sub(r"\\\g<0>", word)
    before, live, after = _EDGES.fullmatch(word).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return f"{before}{code(live, len(live))}{after}"


def _on_one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


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


def as_markdown(document: Document) -> str:
    """Sections separated by empty lines; sums first. In a comment that has no room for everything, each list ends with
    what it omits.
    """
    limits = document.comment
    lines = [f"**{escaped(document.answer)}**" if document.answer else escaped(_heading(document))]
    if limits is not None and limits.headed:
        lines = [f"## {escaped(document.title)}", "", *lines]
    end = ["", escaped(sentence(document.basis))] if limits is not None and document.basis else []
    if limits is not None and limits.marker is not None:
        end += ["", marker(*limits.marker)]
    room = None if limits is None else limits.longest - bytes_of([*lines, *end])
    sections = [*document.sections()]
    elsewhere = limits.elsewhere if limits else ""
    for number, section in enumerate(sections):
        share = None if room is None else _share(room - _LEAST, sections[number:], elsewhere)
        if found := [*_lines(section, share, elsewhere)]:
            room = None if room is None else room - bytes_of(["", *found])
            lines += ["", *found]
    return "\n".join([*lines, *end])


_LEAST: Final = 1_000
"""Bytes kept free for the heads of the lists."""


def _share(room: int, sections: Sequence[Section], elsewhere: str) -> int:
    """Bytes for the first of these: what the others do not need, but at least an equal share. Folded ones only get what
    all others leave.
    """
    first, *rest = sections
    after = [one for one in rest if isinstance(one, Folded) == isinstance(first, Folded)]
    return max(room // (len(after) + 1), room - sum(bytes_of([*_lines(one, None, elsewhere)]) for one in after))


def _heading(document: Document) -> str:
    return ": ".join(filter(None, (document.title, document.basis)))


def _lines(section: Section, room: int | None, elsewhere: str) -> Iterator[str]:
    match section:
        case Table():
            yield from _table(section, room, elsewhere)
        case Notes():
            yield from _notes(section, room, elsewhere)
        case Folded():
            yield from _within(section, room, elsewhere)
        case Heading():
            yield f"**{escaped(section.text)}**"
        case str():
            yield escaped(section)


def _more(text: str, elsewhere: str) -> str:
    return f"{text} in {elsewhere}" if elsewhere else text


def _notes(notes: Notes, room: int | None, elsewhere: str) -> Iterator[str]:
    marks = [f"{mark} " for mark in notes.marks] or [""] * len(notes.texts)
    texts = [f"- {escaped(f'{mark}{text}')}" for mark, text in zip(marks, notes.texts, strict=True)]
    shown = texts
    if room is not None:
        shown = fitting(texts, str, room, lambda rest: f"- {_more(f'{len(rest):,} more', elsewhere)}")
    if notes.folded and texts:
        yield from _fold(notes.heading, shown)
        return
    if notes.heading:
        yield from (f"**{escaped(notes.heading)}**", "")
    yield from shown
    if notes.lines:
        first, *lines = notes.lines
        shown = [*map(_on_one_line, lines)]
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", "\n".join(shown)))])
        yield from ("", f"{escaped(first)}:", "", fence, *shown, fence)


def _within(folded: Folded, room: int | None, elsewhere: str) -> Sequence[str]:
    lines: list[str] = []
    for number, section in enumerate(folded.sections):
        share = None if room is None else (room - bytes_of(lines) - _LEAST) // (len(folded.sections) - number)
        lines += [*([""] if lines else []), *_lines(section, share, elsewhere)]
    shown = [*_fold(folded.summary, lines)]
    return shown if lines and (room is None or bytes_of(shown) <= room) else []


def _fold(summary: str, lines: Sequence[str]) -> Iterator[str]:
    """The summary is ours: Markdown does not work in it."""
    yield from (f"<details><summary>{summary}</summary>", "", *lines, "", "</details>")


def _table(table: Table, room: int | None, elsewhere: str) -> Iterator[str]:
    if table.caption and table.rows:
        yield from (f"**{escaped(table.caption)}**", "")
    if not table.detail:
        yield from _rows(table, [*table.rows, *table.sums], room, elsewhere)
        return
    summary = [*table.sums, *(row for row in table.rows if row.strong)]
    share = None if room is None else room // 4
    first = [*_rows(table, summary, share, elsewhere)]
    yield from first
    if any(not row.strong for row in table.rows):
        rest = None if room is None else room - bytes_of(first)
        yield from ("", *_fold(table.detail, [*_rows(table, table.rows, rest, elsewhere)]))


def _rows(table: Table, rows: Sequence[Row], room: int | None, elsewhere: str) -> Iterator[str]:
    """Without columns that are empty in all of these rows."""
    heads = table.heads or [""] * len(rows[0].cells)
    kept = [at for at in range(len(heads)) if not at or any(row.cells[at] for row in rows)]
    yield row(*(escaped(heads[at]) for at in kept))
    yield "|" + "".join(" --- |" if at in table.left else " ---: |" for at in kept)
    if room is None:
        yield from (_row(one, kept) for one in rows)
    else:
        yield from fitting(
            rows, lambda one: _row(one, kept), room, lambda rest: row(_more(table.more(rest), elsewhere))
        )


def _row(one: Row, kept: Sequence[int]) -> str:
    first = escaped(one.cells[0])
    lines = [code(line, _LINE) for line in one.lines]
    name = "<br>".join([f"**{first}**" if one.strong and first else first, *map(escaped, one.below), *lines])
    return row(name, *(escaped(one.cells[at]) for at in kept[1:]))

"""A document as one page, which loads and runs nothing: charts first, then its sections."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gpucluster.core.documents.document import Document, Folded, Heading, Notes, Row, Section, Table, sentence, unquoted

_KINDS: Final[Mapping[type[Section], str]] = {
    Table: "table", Notes: "notes", Heading: "heading", Folded: "folded", str: "text",
}  # fmt: skip


def as_html(document: Document) -> str:
    """The whole page, with the sums in its header. Its Content-Security-Policy allows no script and no request."""
    sections = [*document.sections()]
    return templates().get_template("page.html.j2").render(
        document=document,
        basis=sentence(document.basis) if document.basis else "",
        sums=[row for section in sections if isinstance(section, Table) for row in section.sums]
        or [*document.totals()],
        figures=[*document.figures()],
        sections=[section for section in sections if not _only_sums(section)],
    )  # fmt: skip


def _only_sums(section: object) -> bool:
    return isinstance(section, Table) and (not section.rows or section.drawn)


@cache
def templates() -> Environment:
    """Every value is escaped that is no template's own text."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_unquoted,
    )
    cast("dict[str, Any]", found.filters).update(groups=_groups, kind=_kind)
    cast("dict[str, Any]", found.tests)["figure"] = _is_figure
    return found


def _unquoted(value: object) -> object:
    return unquoted(value) if type(value) is str else value


def _kind(section: Section) -> str:
    return _KINDS[type(section)]


def _groups(rows: Sequence[Row]) -> Iterator[tuple[Row, Sequence[Row]]]:
    """Each strong row with the rows below it."""
    starts = [at for at, row in enumerate(rows) if row.strong]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield rows[start], rows[start + 1 : end]


def _is_figure(cell: str) -> bool:
    """Figures are right-aligned and never wrap; words in their columns do."""
    return cell.startswith(("$", "+$", "-$", "at least")) or cell.replace(",", "").replace(".", "").isdecimal()


def origin_of(stack: str, made: datetime.date, folder: Path) -> list[tuple[str, str]]:
    """The day, the stack, and the commit of a folder with its author, as far as they are known."""
    commit, author = (_git(folder, "log", "-1", f"--format={of}") for of in ("%h", "%an"))
    changed = commit and _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    facts = {
        "Made on": made.isoformat(),
        "Stack": stack,
        "Commit": f"{commit}{', with uncommitted changes' if changed else ''}" if commit else "",
        "Author of the commit": author,
    }
    return [(name, value) for name, value in facts.items() if value]


def _git(folder: Path, *words: str) -> str:
    """The output of a git command; empty without git or a repository."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

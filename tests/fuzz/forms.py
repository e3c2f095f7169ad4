"""What is wrong with a result that texts of others went into: it is not of its form, or something in it is alive."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final
from xml.etree import ElementTree

from tests.fuzz.mutants import MARKUP

__all__ = ["faults", "obeyed"]


def obeyed(text: str) -> set[str]:
    """The characters that a terminal obeys, but line ends and tabs."""
    return {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def faults(form: str, text: str) -> Iterator[str]:
    """Those of a whole result; form: as --format names it."""
    if form in _CHECKS:
        yield from _CHECKS[form](text)


def _json(text: str) -> Iterator[str]:
    try:
        json.loads(text, parse_constant=lambda name: float("x" + name))
    except ValueError as error:
        yield f"no JSON: {error}"


def _xml(text: str) -> Iterator[str]:
    try:
        ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        yield f"no XML: {error}"


def _csv(text: str) -> Iterator[str]:
    if len(widths := {len(row) for row in csv.reader(io.StringIO(text))}) > 1:
        yield f"rows of {sorted(widths)} columns"


_NOT_READ: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|<!--[^>]*-->")
"""Code and comments, in which GitHub makes nothing a link."""


_FENCED: Final = re.compile(r"^(```+)$.*?^\1$", re.MULTILINE | re.DOTALL)


def _markdown(text: str) -> Iterator[str]:
    for line in _FENCED.sub("", text).splitlines():
        bare = _NOT_READ.sub("", line)
        if live := [item for item in MARKUP[:8] if item in bare]:
            yield f"live in Markdown: {live}"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe") or any(name.startswith("on") for name, _ in attrs):
            self.found.append(tag)


def _html(text: str) -> Iterator[str]:
    tags = _Tags()
    tags.feed(text)
    if tags.found:
        yield f"tags in HTML: {tags.found}"


_CHECKS: Final = {
    "json": _json, "sarif": _json, "junit": _xml, "csv": _csv, "markdown": _markdown, "html": _html,
}  # fmt: skip

"""The shell of a page, and text made safe for it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path


def safe(text: str) -> str:
    """Text as it is, also in an attribute."""
    return escape(text, quote=True)


def page(title: str, body: Iterable[str]) -> str:
    """The whole document. Nothing in it may be fetched and nothing runs: its own policy says so to the browser."""
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{safe(title)}</title>\n<style>\n{style}</style>"
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n' + "\n".join(body) + "\n</body>\n</html>"
    )


def items(texts: Iterable[str]) -> str:
    """A plain list."""
    return '<ul class="plain">' + "".join(f"<li>{safe(text)}</li>" for text in texts) + "</ul>"


def disclosure(name: str, amount: str, inside: str) -> str:
    """A line that opens and shows more."""
    shown = f"<span>{safe(name)}</span>" + (f"<span>{safe(amount)}</span>" if amount else "")
    return f"<details><summary>{shown}</summary>\n{inside}\n</details>"


def scrolling(table: str, what: str) -> str:
    """A table that scrolls by itself where the window is narrower, by the keyboard too."""
    return f'<div class="scroll" role="region" aria-label="{safe(what)}" tabindex="0">{table}</div>'

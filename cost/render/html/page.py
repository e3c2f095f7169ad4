"""The shell of a page, and escaping of text for it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path


def safe(text: str) -> str:
    """Escaped text, also for attributes."""
    return escape(text, quote=True)


def page(title: str, body: Iterable[str]) -> str:
    """The whole document. It loads and runs nothing; its Content-Security-Policy enforces that in the browser."""
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
    """A line that expands to show more."""
    shown = f"<span>{safe(name)}</span>" + (f"<span>{safe(amount)}</span>" if amount else "")
    return f"<details><summary>{shown}</summary>\n{inside}\n</details>"


def scrolling(table: str, what: str) -> str:
    """A table that scrolls on its own in narrow windows, also by keyboard."""
    return f'<div class="scroll" role="region" aria-label="{safe(what)}" tabindex="0">{table}</div>'

"""`python -m tools.pages [--into FOLDER] [PAGE...]`, which `make docs` runs."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from tools.pages import examples, mistakes, pull_request, tables

_PAGES: Final[dict[str, Callable[[], str]]] = {
    "rules": tables.rules_page,
    "node-changes": tables.node_changes_page,
    "submitter-rights": tables.submitter_rights_page,
    "pull-request-example": pull_request.page,
}


@click.command()
@click.argument("pages", nargs=-1, type=click.Choice(["examples", *_PAGES, "seeded-mistakes"]))
@click.option("--into", type=click.Path(path_type=Path), default=examples.ROOT / "docs", show_default=True)
def main(pages: tuple[str, ...], into: Path) -> None:
    """Write PAGES, or every generated page. Exit code 1: a seeded mistake is not found as expected; each is printed."""
    if not pages or "examples" in pages:
        examples.write_pages(into / "examples", datetime.date.today())
    reference = into / "reference"
    reference.mkdir(exist_ok=True)
    for name, page in _PAGES.items():
        if not pages or name in pages:
            (reference / f"{name}.md").write_text(page(), encoding="utf-8")
    if not pages or "seeded-mistakes" in pages:
        text, wrong = mistakes.page()
        (reference / "seeded-mistakes.md").write_text(text, encoding="utf-8")
        if wrong:
            raise click.ClickException("\n".join(wrong))


if __name__ == "__main__":
    main()

"""Links between the pages that people write lead somewhere, and every page is reached from the index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "policies/README.md", "cost/prices/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def _links(page: Path) -> Iterator[tuple[Path, str]]:
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            yield ((page.parent / path).resolve() if path else page), anchor


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_a_heading_that_are_there() -> None:
    lost = [
        f"{page.relative_to(ROOT)}: {target} #{anchor}"
        for page in PAGES
        for target, anchor in _links(page)
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target))
    ]
    assert lost == []


def test_every_page_is_in_the_index() -> None:
    listed = {target for target, _ in _links(ROOT / "docs/README.md")}
    pages = {page for page in (ROOT / "docs").glob("*.md") if page.name not in {"README.md"}}
    assert sorted(page.name for page in pages - listed) == []

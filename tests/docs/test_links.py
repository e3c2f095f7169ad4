"""Links between pages, and paths of pages in code and data, lead somewhere; every page is reached from the index."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *(ROOT / name for name in ("policies/README.md", "cost/prices/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
ELSEWHERE = {
    "docs/book/src/concepts/aks.md",
    "docs/book/src/concepts/login-modes/azurecli.md",
    "docs/concepts/platform-detection.md",
    "docs/content/docs.md",
    "docs/driver-parameters.md",
    "docs/errors.md",
    "docs/getting-started/installation.md",
    "docs/metrics/extend/customresourcestate-metrics.md",
    "docs/install-csi-driver.md",
    "docs/integrator/gke-tcpxo-networking.md",
    "docs/troubleshooting.md",
    "docs/workload-identity-static-pv-mount.md",
}
"""Pages of other repositories, named as sources."""
_PATH = re.compile(r"(?<![\w@:/.-])docs/[\w/.-]+\.md\b")
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
    """Those of the examples are in an index of their own."""
    listed = {target for target, _ in _links(ROOT / "docs/README.md")}
    pages = {page for page in (ROOT / "docs").glob("*/*.md") if page.parent.name != "examples"}
    assert sorted(page.name for page in pages - listed) == []


def test_every_path_of_a_page_in_code_and_data_is_there() -> None:
    """What a release said of its files stays in the changelog."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lost = {
        (name, path)
        for name in listed.splitlines()
        if not name.startswith("tests/")
        for text in [(ROOT / name).read_text(encoding="utf-8", errors="ignore").partition("\n## 0.")[0]]
        for path in _PATH.findall(text)
        if not (ROOT / path).exists()
    }
    assert {path for _, path in lost} == ELSEWHERE, lost

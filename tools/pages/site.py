"""Builds the pages as a site with search, by Zensical: `make site`.

GPUCLUSTER_REPOSITORY: address of the repository, https://github.com/OWNER/NAME. If set, links to files that are no page
lead there; otherwise only their text is on the site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"
_PROJECT: Final = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
_PAGES: Final = ("README.md", *_PROJECT, "policies/README.md", "cost/prices/README.md", "docs/**/*.md")
_INDEX: Final = Path("docs/README.md")
_LINK: Final = re.compile(r"(?<!!)\[((?:[^][]|\[[^][]*\])*)\]\(\s*(?!https?://|#)([^)#\s]+)(#[^)]*)?\)")
_FENCE: Final = re.compile(r"(?<=\n)( *)```.*?\n\1```(?=\n)", re.DOTALL)
_CONFIG: Final = """\
[project]
site_name = "gpucluster"
docs_dir = "pages"
site_dir = "site"
nav = [
{nav}
]
{repository}
[project.theme]
font = false
features = ["content.code.copy", "navigation.sections", "navigation.top", "search.highlight", "toc.follow"]
"""


def build() -> None:
    """Copies the pages to build/pages and writes build/site. Raises ClickException if a link leads nowhere."""
    repository = os.environ.get("GPUCLUSTER_REPOSITORY", "").rstrip("/")
    build = SITE.parent
    shutil.rmtree(build / "pages", ignore_errors=True)
    for path in pages():
        (build / "pages" / path).parent.mkdir(parents=True, exist_ok=True)
        (build / "pages" / path).write_text(page(path, repository), encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", build / "pages/docs/images")
    (build / "zensical.toml").write_text(configuration(repository), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    done = subprocess.run(command, cwd=build, env={**os.environ, "NO_COLOR": "1"}, check=False)
    if done.returncode:
        raise click.ClickException("the site has links that lead nowhere, listed above")
    serve_llms(SITE)


def serve_llms(folder: Path) -> None:
    """Writes llms.txt into the folder of the site, with links to its pages."""
    text = (ROOT / "llms.txt").read_text(encoding="utf-8")
    (folder / "llms.txt").write_text(
        re.sub(r"\]\(README\.md\)", "](./)", text).replace("/README.md)", "/)").replace(".md)", "/)"), encoding="utf-8"
    )


def pages() -> list[Path]:
    """Every page, as a path in the repository."""
    return [path.relative_to(ROOT) for pattern in _PAGES for path in sorted(ROOT.glob(pattern))]


def page(path: Path, repository: str) -> str:
    """A page as the generator reads it."""
    known = {*pages()}

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], Path(os.path.normpath(path.parent / found[2])), found[3] or ""
        if target in known:
            return f"[{text}]({found[2]}{anchor})"
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"[{text}]({repository}/{kind}/main/{target.as_posix()}{anchor})" if repository else text

    return "".join(
        part if fenced else _LINK.sub(link, part)
        for part, fenced in _parts(_with_lists((ROOT / path).read_text(encoding="utf-8")))
    )


def configuration(repository: str) -> str:
    """The generator's, with the pages in the order of the index."""
    sections = [("Overview", [Path("README.md"), _INDEX]), *_sections(), ("Project", [*map(Path, _PROJECT)])]
    nav = (
        f"  {{ {json.dumps(title)} = {json.dumps([path.as_posix() for path in listed])} }},"
        for title, listed in sections
    )
    return _CONFIG.format(nav="\n".join(nav), repository=f"repo_url = {json.dumps(repository)}\n" if repository else "")


def _sections() -> Iterator[tuple[str, list[Path]]]:
    """(heading, its pages) of the index. A page is in the first section that lists it."""
    listed = {Path(name) for name in ("README.md", *_PROJECT)}
    for section in (ROOT / _INDEX).read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        found = [Path(os.path.normpath(_INDEX.parent / link[2])) for link in _LINK.finditer(text)]
        new = [path for path in dict.fromkeys(found) if path not in listed and path.suffix == ".md"]
        listed |= {*new}
        yield title, new


def _with_lists(text: str) -> str:
    """What belongs to an item of a list, indented by four, as Python's Markdown requires; GitHub accepts two."""
    return "".join(
        _indented(part, part.index("`"))
        if fenced
        else re.sub(r"^( {2,})(?=\S)", lambda it: " " * 4 * ((len(it[1]) + 2) // 4), part, flags=re.M)
        for part, fenced in _parts(text)
    )


def _indented(block: str, by: int) -> str:
    return re.sub(r"^(?=.)", " " * (-by % 4), block, flags=re.MULTILINE)


def _parts(text: str) -> Iterable[tuple[str, bool]]:
    """The text in parts, and whether each is a block of code."""
    start = 0
    for block in _FENCE.finditer(text):
        yield text[start : block.start()], False
        yield block[0], True
        start = block.end()
    yield text[start:], False


if __name__ == "__main__":
    click.command()(build)()

"""The site of the pages: every page is on it once, and what leads out of it."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from tools.pages import site


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an index and one page."""
    (tmp_path / "docs/start").mkdir(parents=True)
    (tmp_path / "docs/images").mkdir()
    for name, text in {
        "README.md": "# Home\n\n[Page](docs/start/page.md#part), [code](tools/run.py), [folder](tools/)\n",
        "tools/run.py": "",
        "docs/README.md": "# Pages\n\n## Start\n\n| [page](start/page.md) |\n",
        "docs/start/page.md": "# Page\n\n## Part\n\n- item\n  - below it\n\n  ```\n  [code](not/a/link)\n  ```\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "SITE", tmp_path / "build/site")
    return tmp_path


def test_every_page_but_those_of_the_examples_is_in_the_navigation_once() -> None:
    nav = tomllib.loads(site.configuration(""))["project"]["nav"]
    listed = [page for section in nav for pages in section.values() for page in pages]
    examples = {page.as_posix() for page in site.pages() if re.fullmatch(r"docs/examples/.+/.+", page.as_posix())}
    assert sorted(listed) == sorted({page.as_posix() for page in site.pages()} - examples)
    assert [*nav[1]] == ["Start"]


@pytest.mark.parametrize(
    ("address", "code", "folder"),
    [
        ("", "code", "folder"),
        (
            "https://example.com/o/n",
            "[code](https://example.com/o/n/blob/main/tools/run.py)",
            "[folder](https://example.com/o/n/tree/main/tools)",
        ),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_link_to_a_file_that_is_no_page_leads_to_the_repository(address: str, code: str, folder: str) -> None:
    assert site.page(Path("README.md"), address) == f"# Home\n\n[Page](docs/start/page.md#part), {code}, {folder}\n"
    assert ("repo_url" in tomllib.loads(site.configuration(address))["project"]) == bool(address)


@pytest.mark.usefixtures("repository")
def test_what_belongs_to_an_item_is_indented_by_four() -> None:
    text = site.page(Path("docs/start/page.md"), "")
    assert text == "# Page\n\n## Part\n\n- item\n    - below it\n\n    ```\n    [code](not/a/link)\n    ```\n"


@pytest.mark.skipif(find_spec("zensical") is None, reason="Zensical is not installed: make site")
def test_a_site_with_a_link_that_leads_nowhere_is_refused(repository: Path) -> None:
    site.build()
    assert "Part" in (repository / "build/site/docs/start/page/index.html").read_text()
    assert "below it" in (repository / "build/site/search.json").read_text()
    (repository / "docs/start/page.md").write_text("# Page\n\n[lost](#nowhere)\n")
    with pytest.raises(click.ClickException, match="lead nowhere"):
        site.build()

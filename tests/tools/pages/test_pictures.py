"""The pictures of the README have the text that the commands print today; pixels are not compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.text import Text

from tools.pages.pictures import IMAGES, ROOT, comment, draw, in_a_browser, preview, report, text_in

README = (ROOT / "README.md").read_text()


def test_every_picture_is_in_the_readme_and_names_no_path_of_a_machine() -> None:
    assert {path.name for path in IMAGES.iterdir() if f"](docs/images/{path.name})" not in README} == set()
    assert [path.name for path in IMAGES.iterdir() if len(text_in(path)) < 200 or str(ROOT) in text_in(path)] == []


def test_a_picture_of_a_terminal_has_its_text_and_no_font_of_a_network(tmp_path: Path) -> None:
    file = tmp_path / "it.svg"
    file.write_text(draw("\x1b[1mTotal\x1b[0m  <b> & $1"), encoding="utf-8")
    assert text_in(file) == "Total  <b> & $1"
    assert "url(http" not in file.read_text()


def test_a_picture_of_a_page_has_the_text_that_is_in_its_window(tmp_path: Path) -> None:
    file = tmp_path / "it.png"
    text = in_a_browser("<p>in  sight: é</p><p style='margin-top: 900px'>below</p>", file)
    assert text_in(file) == text == "in sight: é"


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.core
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("preview.svg", lambda: Text.from_ansi(preview()).plain),
        ("report.png", lambda: in_a_browser(report())),
        ("comment.png", lambda: in_a_browser(comment())),
    ],
)
def test_a_picture_shows_what_the_command_prints_today(name, make) -> None:
    """`make pictures` writes them anew."""
    assert text_in(IMAGES / name) == make()

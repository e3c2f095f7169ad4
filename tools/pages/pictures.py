"""Pictures of the README, of what the commands print: `make pictures`.

Each picture has its text in it, so that a test can compare that with what the commands print today.
"""

from __future__ import annotations

import fcntl
import html
import io
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import click
from markdown_it import MarkdownIt
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.browser.chromium import find_chromium

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
STACK: Final = "aws-trial"
_COLUMNS: Final = 100
_HEIGHT: Final = 760
"""Of a page, from its top, in pixels."""
_EXAMPLE: Final = ROOT / "docs/reference/pull-request-example.md"
_TEXTS: Final = r"""height => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
    const lines = [];
    for (let node; (node = walk.nextNode());) {
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect(), text = node.data.trim().replace(/\s+/g, ' ');
        if (text && box.height && box.bottom <= height) lines.push(text);
    }
    return lines.join('\n');
}"""
_STYLE: Final = """
body { font: 14px/1.5 "Open Sans", sans-serif; margin: 16px; color: #1f2328; background: #fff }
table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left }
code { background: #eff1f3; border-radius: 6px; padding: .2em .4em; font-size: 85% }
"""


def preview() -> str:
    """The closing block of a first preview on a terminal, in its colours."""
    with _project() as folder:
        lines = _on_a_terminal(folder, "preview", "--policy-pack", "policies").rstrip().splitlines()
    last = max(number for number, line in enumerate(lines) if "Resources:" in line)
    return "\n".join(lines[last:])


def report() -> str:
    """The report of the same preview, as a page."""
    with _project() as folder:
        plan = folder / "plan.json"
        plan.write_text(_run(folder, "sandbox", "pulumi", "preview", "--stack", STACK, "--json", "--show-sames"))
        return _run(folder, "cost", "report", "plan.json", "--format", "html")


def comment() -> str:
    """The comment of the example in docs/reference, which another test compares with its command, as a page."""
    text = _EXAMPLE.read_text(encoding="utf-8").partition("\n---\n\n")[2]
    body = MarkdownIt("commonmark").enable("table").render(text)
    return f"<!doctype html><meta charset='utf-8'><style>{_STYLE}</style><body>{body}</body>"


def in_a_browser(document: str, picture: Path | None = None) -> str:
    """The text at the top of a page, which `picture` shows then."""
    found = find_chromium()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=found.binary,
            args=["--no-sandbox", "--no-zygote", "--font-render-hinting=none"],
            env={**os.environ, **found.environment},
        )
        page = browser.new_context(viewport={"width": 960, "height": _HEIGHT}, offline=True).new_page()
        file = Path(folder) / "page.html"
        file.write_text(document, encoding="utf-8")
        page.goto(file.as_uri())
        text = _visible(page)
        if picture:
            picture.write_bytes(_with_text(page.screenshot(), text))
        browser.close()
    return text


def _visible(page: Page) -> str:
    """The text that is in the window in full."""
    found: str = page.evaluate(_TEXTS, _HEIGHT)
    return found


def draw(lines: str) -> str:
    """Lines of a terminal as SVG, without fonts from the network."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    text = Text.from_ansi(lines)
    console.print(text, soft_wrap=True)
    drawn = console.export_svg(title="make preview", theme=MONOKAI, unique_id="preview")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    head, end, rest = drawn.partition(">")
    return f"{head}{end}<desc>{html.escape(text.plain)}</desc>{rest}\n"


def text_in(picture: Path) -> str:
    """The text that a picture was made of."""
    if picture.suffix == ".svg":
        return ElementTree.parse(picture).findtext("{http://www.w3.org/2000/svg}desc") or ""
    content = picture.read_bytes()
    start = content.index(b"iTXttext\0") + len(b"iTXttext\0\0\0\0\0")
    [length] = struct.unpack(">I", content[content.index(b"iTXttext\0") - 4 :][:4])
    return content[start : content.index(b"iTXttext\0") + 4 + length].decode()


def _with_text(png: bytes, text: str) -> bytes:
    """A PNG with a text before its end."""
    chunk = b"iTXttext\0\0\0\0\0" + text.encode()
    end = png.rindex(b"IEND") - 4
    return png[:end] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[end:]


@contextmanager
def _project() -> Generator[Path]:
    """The project of this repository that has no sandbox yet."""
    with tempfile.TemporaryDirectory(prefix="pictures-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        shutil.copy(ROOT / "Pulumi.yaml", folder)
        shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
        for linked, to in ((".venv", Path(sys.prefix)), ("policies", ROOT / "policies")):
            (folder / linked).symlink_to(to, target_is_directory=True)
        yield folder


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gpucluster", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise click.ClickException(
            f"gpucluster {' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}"
        )
    return done.stdout


def _on_a_terminal(folder: Path, *words: str) -> str:
    """What the command writes to a terminal of `_COLUMNS` columns, without what moves its cursor."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, _COLUMNS, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    started = subprocess.Popen(
        [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", *words, "--stack", STACK],
        cwd=folder,
        env={**kept, "TERM": "xterm-256color"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    written = io.BytesIO()
    with suppress(OSError):  # EIO: the last of those that write to it has ended
        while part := os.read(controller, 65536):
            written.write(part)
    os.close(controller)
    text = written.getvalue().decode(errors="replace")
    if started.wait():
        raise click.ClickException(f"the preview ended with {started.returncode}: {text}")
    return re.sub(r"\x1b\[[?\d;]*[A-LN-Za-ln-z]|\r", "", text)


@click.command()
def main() -> None:
    """Write docs/images."""
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "preview.svg").write_text(draw(preview()), encoding="utf-8")
    in_a_browser(report(), IMAGES / "report.png")
    in_a_browser(comment(), IMAGES / "comment.png")


if __name__ == "__main__":
    main()

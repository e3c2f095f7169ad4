"""Commands that pages and texts name exist: `gpucluster` is the one program, and the rest are its subcommands."""

from __future__ import annotations

import re
from pathlib import Path

from gpucluster.checkout import folders

ROOT = Path(__file__).parents[2]
FOLDERS = tuple(ROOT / name for name in (*folders(ROOT).values(), "docs", "examples", "ci", "stacks"))
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md")
_WITHOUT_PROGRAM = re.compile(
    r"\$\((?:guardrails|cost|sandbox|cluster)\b"
    r"|(?<!gpucluster )(?<!gpucluster. )(?<!Model, .)\bguardrails (?:explain|pack|check|list|config|pr-check)\b"
)
_READ = {".py", ".md", ".csv", ".yaml", ".yml", ".json", ".sh", ".html", ".ts"}


def test_no_page_and_no_shipped_text_calls_a_subcommand_as_a_program() -> None:
    files = {file for folder in FOLDERS for file in folder.rglob("*") if file.suffix in _READ and file.is_file()}
    assert len(files) > 1000
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:150]}"
        for file in sorted({*files, *PAGES})
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if _WITHOUT_PROGRAM.search(line)
    ]
    assert found == []

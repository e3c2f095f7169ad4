"""Code lines of the Python files of a checkout: no blank lines, imports, docstrings or comments.

`python -m tools.benchmarks.sizes [CHECKOUT]` prints them by top-level folder, with files, folders and import lines.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from tools.benchmarks.harness import ROOT

TESTS: Final = "tests"
_NO_CODE: Final = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


@dataclass(frozen=True)
class Size:
    """code: lines without blanks, imports, docstrings and comments. folders: that have Python files."""

    code: int = 0
    imports: int = 0
    files: int = 0
    folders: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


LIMITS: Final = (Size(code=57_000, imports=7_000, files=850), Size(code=48_000))
"""Of the product, and of the tests; 0 is no limit."""


def python_files(checkout: Path) -> dict[str, str]:
    """Path -> text of every Python file that git tracks, without symbolic links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.py"], cwd=checkout, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    return {
        path: (checkout / path).read_text()
        for path in filter(None, listed)
        if (checkout / path).is_file() and not (checkout / path).is_symlink()
    }


def size(text: str) -> Size:
    """Of one file. Raises SyntaxError."""
    imports: set[int] = set()
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= _lines(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented |= _lines(node)
    written: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            written.update(range(token.start[0], token.end[0] + 1))
    return Size(len(written - imports - documented), len(imports), files=1)


def _lines(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def sizes(checkout: Path) -> dict[str, Size]:
    """Top-level folder -> its size; "." has the files beside the folders."""
    found: defaultdict[str, Size] = defaultdict(Size)
    folders: defaultdict[str, set[PurePosixPath]] = defaultdict(set)
    for name, text in python_files(checkout).items():
        path = PurePosixPath(name)
        top = path.parts[0] if len(path.parts) > 1 else "."
        found[top] += size(text)
        folders[top].add(path.parent)
    return {top: found[top] + Size(folders=len(folders[top])) for top in sorted(found)}


def table(found: Mapping[str, Size]) -> str:
    """The product by folder, largest first, its sum, and the tests, each with its limits."""
    product = {top: one for top, one in found.items() if top != TESTS}
    rows = sorted(product.items(), key=lambda row: -row[1].code)
    sums = (("product", sum(product.values(), Size())), (TESTS, found.get(TESTS, Size())))
    for row, limit in zip(sums, LIMITS, strict=True):
        rows += [row, ("  at most", limit)]
    lines = [("", "code", "imports", "files", "folders"), *((top, *_numbers(one)) for top, one in rows)]
    return "\n".join("".join([f"{top:<14}", *(f"{text:>9}" for text in rest)]).rstrip() for top, *rest in lines)


def _numbers(one: Size) -> list[str]:
    return [f"{number:,}" if number else "" for number in astuple(one)]


if __name__ == "__main__":
    print(table(sizes(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)))

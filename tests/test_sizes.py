"""No file is over 350 lines and no constructor over 80."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINES, CONSTRUCTOR = 350, 80


def _product() -> dict[str, str]:
    """The text of every file of the product by its path."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [path for path in listed.split() if not path.startswith("tests/") and not (ROOT / path).is_symlink()]
    return {path: (ROOT / path).read_text() for path in paths if (ROOT / path).exists()}


def _longest_constructor(text: str) -> int:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return max(
        (node.end_lineno - node.lineno + 1 for node in nodes if node.name == "__init__" and node.end_lineno), default=0
    )


def test_files_and_constructors_are_short() -> None:
    product = _product()
    files = {path: lines for path, text in product.items() if (lines := text.count("\n")) > LINES}
    constructors = {
        path: lines for path, text in product.items() if (lines := _longest_constructor(text)) > CONSTRUCTOR
    }
    assert (files, constructors) == ({}, {})

"""No file is over 350 lines and no constructor over 80."""

import ast

from tools.benchmarks.harness import ROOT
from tools.benchmarks.sizes import TESTS, python_files

LINES, CONSTRUCTOR = 350, 80


def _longest_constructor(text: str) -> int:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return max(
        (node.end_lineno - node.lineno + 1 for node in nodes if node.name == "__init__" and node.end_lineno), default=0
    )


def test_files_and_constructors_are_short() -> None:
    product = {path: text for path, text in python_files(ROOT).items() if not path.startswith(f"{TESTS}/")}
    files = {path: lines for path, text in product.items() if (lines := text.count("\n")) > LINES}
    constructors = {
        path: lines for path, text in product.items() if (lines := _longest_constructor(text)) > CONSTRUCTOR
    }
    assert (files, constructors) == ({}, {})

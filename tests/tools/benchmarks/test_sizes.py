"""What counts as a line of code."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.benchmarks.sizes import Size, sizes, table

FILE = '''"""A docstring
of two lines."""

from __future__ import annotations

from dataclasses import (
    dataclass,
)

# A comment.
TEXT = """not a docstring

but three lines of code"""


@dataclass
class Point:
    """A point."""

    x: int  # code with a comment
    """A docstring of a field."""


def double(
    x: int,
) -> int:
    import math

    return math.floor(x) * 2
'''


def test_blank_lines_imports_docstrings_and_comments_are_no_code(tmp_path: Path) -> None:
    files = {
        "setup.py": "x = 1\n",
        "cost/__init__.py": '"""Costs."""\n',
        "cost/prices/book.py": FILE,
        "cost/prices/aws.csv": "a,b\n",
        "tests/test_book.py": "import pytest\n\nassert pytest\n",
        "untracked.py": "x = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "cost/link.py").symlink_to("prices/book.py")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "setup.py", "cost", "tests"], cwd=tmp_path, check=True)
    found = sizes(tmp_path)
    assert found == {
        ".": Size(code=1, imports=0, files=1, folders=1),
        "cost": Size(code=10, imports=5, files=2, folders=2),
        "tests": Size(code=1, imports=1, files=1, folders=1),
    }
    assert table(found).splitlines() == [
        "                   code  imports    files  folders",
        "cost                 10        5        2        2",
        ".                     1                 1        1",
        "product              11        5        3        3",
        "  at most        57,000    7,000      850",
        "tests                 1        1        1        1",
        "  at most        48,000",
    ]

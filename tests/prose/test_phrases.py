"""Pages, texts in the code and the code itself are free of the phrases that `docs/reference/style.md` replaces."""

from __future__ import annotations

import ast
import csv
import functools
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "policies/README.md", "cost/prices/README.md"),
    *(".github/**/*.yml", "ci/*.yml", "examples/**/*.yaml", "stacks/specs/*.yaml"),
    *("docs/*.md", "docs/[!e]*/*.md", "docs/examples/*/trial.md", "tests/gpucluster/help.txt"),
)
STYLE = ROOT / "docs/reference/style.md"
"""Quotes the phrases."""
IN_CLUSTERS: Final = "components/kubernetes/node_health/controller.py"
"""Its text is an object of every cluster, which a change would update."""
PUBLISHED: Final = frozenset(
    [
        ("cost/documents/options/options_json.py", "said"),
        ("gpucluster/operate/judges/document.py", "said"),
        ("gpucluster/operate/pull_request/comment_json.py", "said"),
    ]
)
"""(file, name) of keys of JSON documents: another name would break their readers."""
NAMES: Final = frozenset(
    ["anew", "beside", "heard", "mended", "mine", "misspelt", "nobody", "ours", "said", "theirs", "told", "whom"]
)
"""Words that no name of a function, class, argument or variable has."""


def test_no_page_has_a_phrase_that_the_style_replaces() -> None:
    assert [
        found
        for page in _pages()
        for found in _phrases(page, page.read_text(encoding="utf-8").splitlines(), 1, "phrases")
    ] == []


def test_no_text_of_the_code_has_one() -> None:
    """The help of a command is a docstring, but its page is read."""
    assert [
        found for file in _code() for line, text in _texts(file) for found in _phrases(file, [text], line, "phrases")
    ] == []


def test_no_comment_docstring_or_name_has_an_idiom() -> None:
    assert [found for file in _code() if file != ROOT / IN_CLUSTERS for found in _idioms(file)] == []


def test_every_exception_has_an_idiom() -> None:
    assert any(_idioms(ROOT / IN_CLUSTERS))
    files = {file for file, _ in PUBLISHED}
    assert {(file, name) for file in files for _, name in _names(ast.parse((ROOT / file).read_text()))} >= PUBLISHED


def test_an_idiom_is_found_in_comments_docstrings_and_names(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""Pools stand\nalready."""\n\ndef told() -> None:  # nobody\n    mine = "nobody"\n')
    assert [found.partition(";")[0].rpartition("/")[2] for found in _idioms(file, tmp_path)] == [
        "module.py:4: 'nobody'",
        "module.py:1: 'stand already'",
        "module.py:4: 'told'",
        "module.py:5: 'mine'",
    ]


def _pages() -> list[Path]:
    return [page for pattern in PAGES for page in sorted(ROOT.glob(pattern)) if page != STYLE]


def _code() -> list[Path]:
    folders = sorted(file.parent for file in ROOT.glob("*/__init__.py") if file.parent.name != "tests")
    return [file for folder in folders for file in sorted(folder.rglob("*.py"))]


def _texts(file: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each literal of a module."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def _idioms(file: Path, root: Path = ROOT) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from _phrases(file, [token.string], token.start[0], "idioms", root)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            # A phrase may go over the end of a line.
            yield from _phrases(file, [" ".join(node.value.value.split())], node.lineno, "idioms", root)
    for line, name in sorted(set(_names(tree))):
        words = {part.lower() for part in re.findall(r"[A-Za-z][a-z]*", name)}
        if NAMES & words and (str(file.relative_to(root)), name) not in PUBLISHED:
            yield f"{file.relative_to(root)}:{line}: {name!r}; write: the noun of the field"


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, name) of what a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.arg():
                yield node.lineno, node.arg
            case _:
                pass


def _phrases(file: Path, lines: Iterable[str], first: int, table: str, root: Path = ROOT) -> Iterator[str]:
    for number, line in enumerate(lines, first):
        for avoid, write in _table(table):
            for match in avoid.finditer(line):
                yield f"{file.relative_to(root)}:{number}: {match[0]!r}; write: {write}"


@functools.cache
def _table(name: str) -> list[tuple[re.Pattern[str], str]]:
    with Path(__file__).with_name(f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [(re.compile(rf"\b(?:{row['avoid']})\b", re.IGNORECASE), row["write"]) for row in csv.DictReader(lines)]

"""Which mutants are tried: chosen by their code, so that a file that moves keeps its own."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import libcst as cst
from mutmut.mutation.mutators import mutation_operators

AREAS: Final = ("components", "cost", "policies", "sandbox")

_OPERATORS: Final[Sequence[tuple[type, Callable[[Any], Iterable[cst.CSTNode]]]]] = mutation_operators
_IDLE: Final = (cst.Annotation, cst.Import, cst.ImportFrom, cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace)
_DECLARING: Final = {"click", "dataclass", "record"}
"""Decorators of texts of help, and of what the type checker holds."""
_TEXT: Final = {"help", "metavar", "show_default", "strict"}
"""Arguments that are texts, or that say what holds anyway."""


@dataclass(frozen=True)
class Mutant:
    """key: hash of the change. file: relative to the root. line: the first that changes. inside: of a function.
    code: of the whole file."""

    key: str
    area: str
    file: str
    line: int
    inside: bool
    code: str
    diff: str


@dataclass(frozen=True)
class _Place:
    key: str
    operator: Callable[[Any], Iterable[cst.CSTNode]]
    file: str
    module: cst.Module
    node: cst.CSTNode
    inside: bool


class _Places(cst.CSTVisitor):
    """Finds (operator, function or statement, place in it) of all that may change."""

    def __init__(self, file: str, module: cst.Module) -> None:
        super().__init__()
        self.file, self.module = file, module
        self.scope: cst.CSTNode | None = None
        self.inside = False
        self.source = ""
        self.before: Counter[str] = Counter()
        self.found: list[_Place] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if _cannot_matter(node):
            return False
        if self.scope is None and isinstance(node, cst.FunctionDef | cst.SimpleStatementLine):
            self.scope, self.before = node, Counter()
            self.source = ast.unparse(ast.parse(cst.Module([node]).code))
        if isinstance(self.scope, cst.FunctionDef) and node is self.scope.body:
            self.inside = True
        if self.scope is not None:
            for kind, operator in _OPERATORS:
                if isinstance(node, kind) and next(iter(operator(node)), None) is not None:
                    name = operator.__name__
                    key = _hash(name, self.before[name], self.source)
                    self.found.append(_Place(key, operator, self.file, self.module, node, self.inside))
                    self.before[name] += 1
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if original_node is self.scope:
            self.scope, self.inside = None, False


def _cannot_matter(node: cst.CSTNode) -> bool:
    """Types, imports, docstrings, messages, what shows an object, and decorators that give help or types."""
    match node:
        case cst.SimpleString(value=text):
            return " " in text
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
            return True
        case cst.If(test=cst.Name(value="TYPE_CHECKING")) | cst.FunctionDef(name=cst.Name(value="__repr__")):
            return True
        case cst.ClassDef(bases=bases):
            return any(isinstance(it.value, cst.Name) and it.value.value in {"TypedDict", "Protocol"} for it in bases)
        case cst.Subscript(value=cst.Name(value="Literal")):
            return True
        case cst.Arg(keyword=cst.Name(value=name)):
            return name in _TEXT
        case cst.Decorator(decorator=called):
            return not _DECLARING.isdisjoint(re.findall(r"\w+", cst.Module([]).code_for_node(called)))
        case _:
            return isinstance(node, _IDLE)


def shares(root: Path, count: int) -> dict[str, int]:
    """How many of `count` mutants each area has, by its lines."""
    lines = {area: sum(it.read_text().count("\n") for it in (root / area).rglob("*.py")) for area in AREAS}
    return {area: round(count * lines[area] / sum(lines.values())) for area in AREAS}


def chosen(root: Path, area: str, count: int, seed: int, never: Container[str] = ()) -> list[Mutant]:
    """The mutants of an area with the lowest hashes, of each operator as many. never: keys of those left out."""
    places = {place.key: place for place in _places(root, area) if place.key not in never}
    taken: Counter[str] = Counter()
    ranked: list[tuple[int, str, str]] = []
    for by_seed, key in sorted((_hash(seed, key), key) for key in places):
        name = places[key].operator.__name__
        ranked.append((taken[name], by_seed, key))
        taken[name] += 1
    return [_mutant(area, places[key]) for *_, key in sorted(ranked)[:count]]


def _hash(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


def _places(root: Path, area: str) -> Iterator[_Place]:
    for path in sorted((root / area).rglob("*.py")):
        module = cst.parse_module(path.read_text())
        visitor = _Places(str(path.relative_to(root)), module)
        module.visit(visitor)
        yield from visitor.found


def _mutant(area: str, place: _Place) -> Mutant:
    changes = list(place.operator(place.node))
    changed = place.module.deep_replace(place.node, changes[int(place.key, 16) % len(changes)])
    assert isinstance(changed, cst.Module)
    before, after = place.module.code.splitlines(), changed.code.splitlines()
    line = next((n for n, (one, other) in enumerate(zip(before, after, strict=False), 1) if one != other), len(before))
    told = [it for it in difflib.unified_diff(before, after, n=0, lineterm="") if it[:2] not in ("--", "++", "@@")]
    return Mutant(place.key, area, place.file, line, place.inside, changed.code, "\n".join(told))

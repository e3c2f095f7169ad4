"""Other texts than those that a reader expects: changed as text, or as the values that they hold."""

from __future__ import annotations

import copy
import datetime
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Final

import yaml

__all__ = ["HOSTILE", "MARKUP", "mutant"]

MARKUP: Final = (
    *(
        "@octocat",
        "o/r#666",
        "https://evil.example",
        "www.evil.example",
        "<img src=x onerror=1>",
        "<script>x</script>",
    ),
    *("[x](javascript:1)", "![x](//evil.example)", "]]>", "|", "`", "&lt;"),
)
_CONTROLS: Final = (
    *("\x1b[31m", "\x1b]8;;x\x07", "\x9b31m", "\x00", "\x08", "\x7f", "\x85", "\u202e", "\u2066"),
    *("\u2028", "\ud800", "\U000e0041", "\r"),
)
HOSTILE: Final = (*MARKUP, *(c for c in _CONTROLS if c != "\ud800"), "x" * 10_000, "\u0645" * 30)
"""What a word of a file's author may end in, and the file is as good as before."""
_SYNTAX: Final = (
    *("{", "}", "[", "]", ":", ",", "- ", "\t", "\n", "'", '"', "&a ", "*a", "<<: *a", "? ", "!!binary x", "---\n"),
    *("!!python/object/apply:os.system [id]", "\ufeff", "%", "#", "null", "NaN", "1e999", "-0", "9" * 5000),
)
_PATHS: Final = ("../../../evil:x/y:Z", "../prices/aws", "/etc/passwd", f"{'x' * 300}:y/z:Z", ":::", "", "~", "-")
_ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 7, 10**30, -1.5, 1e-320, float("inf"), float("nan"), datetime.date(2026, 1, 1)),
    *("0", "010", "1:30", "yes", " ", "x" * 5000, *_PATHS, *MARKUP, *_CONTROLS),
    *([], {}, [[]], [None], {"": None}, {"a": {"b": []}}, {"secure": "v1:x"}, "04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
    {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"},
)
"""Among them what a plan writes for a value that is not known, or secret."""

_Edit = Callable[[random.Random, str], str]


def mutant(by: random.Random, text: str, structure: str, words: Sequence[str] = ()) -> str:
    """The text with one to five changes. structure: json, yaml or csv where its values may be changed too. words: of
    its author, one of which gets a hostile end wherever it stands, so that the file is still read.
    """
    if words and by.random() < 0.5:
        word = by.choice(words)
        return _written(_renamed(_read(text, structure), word, word + by.choice(HOSTILE)), structure)
    changed = _of_values(by, text, structure) if structure and by.random() < 0.8 else text
    for _ in range(by.random() < 0.1 if changed != text else by.choice((1, 1, 2, 4))):
        changed = by.choice(_EDITS)(by, changed)
    return changed


def _inserted(by: random.Random, text: str) -> str:
    at = by.randint(0, len(text))
    return text[:at] + by.choice((*_SYNTAX, *_CONTROLS, *MARKUP, *_PATHS)) + text[at:]


def _cut(by: random.Random, text: str) -> str:
    start, end = sorted((by.randint(0, len(text)), by.randint(0, len(text))))
    return text[:start] if by.random() < 0.3 else text[:start] + text[min(end, start + 40) :]


def _repeated(by: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = by.randrange(len(lines))
    return "".join([*lines[:at], *[lines[at]] * by.choice((2, 2, 2, 300)), *lines[at + 1 :]])


def _swapped(by: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    by.shuffle(lines) if by.random() < 0.2 else lines.reverse()
    return "".join(lines)


def _replaced(by: random.Random, text: str) -> str:
    at = by.randrange(len(text) or 1)
    return text[:at] + by.choice("0-9.:{}[]\"'x\n \t\x00é") + text[at + 1 :]


def _deep(by: random.Random, text: str) -> str:
    at, depth = by.randint(0, len(text)), by.choice((50, 2000, 100_000))
    return text[:at] + by.choice("[{") * depth + text[at:]


_EDITS: Final[tuple[_Edit, ...]] = (
    *(_inserted,) * 6,
    *(_cut,) * 4,
    *(_replaced,) * 6,
    *(_repeated,) * 2,
    _swapped,
    _deep,
)


def _of_values(by: random.Random, text: str, structure: str) -> str:
    if structure == "csv":
        rows = [line.split(",") for line in text.splitlines()]
        row = by.choice(rows)
        row[by.randrange(len(row))] = str(by.choice(_ODD)).replace("\n", "")
        return "\n".join(",".join(cells) for cells in rows) + "\n"
    value = _read(text, structure)
    for _ in range(by.choice((1, 1, 1, 2, 5))):
        value = _edited(by, value)
    return _written(value, structure)


def _read(text: str, structure: str) -> Any:
    return json.loads(text) if structure == "json" else yaml.safe_load(text)


def _written(value: Any, structure: str) -> str:
    if structure == "json":
        return json.dumps(value, default=str)
    return yaml.dump(value, allow_unicode=True, sort_keys=False)


def _renamed(value: Any, word: str, new: str) -> Any:
    """A word by another, in all texts and names."""
    if isinstance(value, str):
        return value.replace(word, new)
    if isinstance(value, list):
        return [_renamed(inner, word, new) for inner in value]
    if isinstance(value, dict):
        return {_renamed(key, word, new): _renamed(inner, word, new) for key, inner in value.items()}
    return value


def _edited(by: random.Random, root: Any) -> Any:
    """One value of it is another, is gone, has another name, or stands there twice."""
    root = copy.deepcopy(root)
    inner, outer, last = root, root, None
    while isinstance(inner, dict | list) and inner and (last is None or by.random() < 0.85):
        outer, last = inner, by.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        inner = outer[last]
    if last is None:
        return by.choice(_ODD)
    kind = by.random()
    if kind < 0.35 and isinstance(inner, str):
        outer[last] = inner + by.choice((*MARKUP, *_CONTROLS))
    elif kind < 0.8:
        outer[last] = copy.deepcopy(by.choice(_ODD))
    elif kind < 0.9:
        del outer[last]
    elif isinstance(outer, dict):
        outer[str(by.choice(_ODD))] = outer.pop(last)
    else:
        outer.append(copy.deepcopy(inner))
    return root

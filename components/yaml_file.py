"""Reads a YAML file that holds one mapping, and says what is wrong with the YAML itself in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from components.input_error import InputError, did_you_mean

__all__ = ["YamlFile", "read_yaml", "shown_path"]


@dataclass(frozen=True)
class YamlFile:
    """root: the mapping with its lines. data: the same as plain values. twice: line and name of each repeated key."""

    source: str
    root: yaml.MappingNode
    data: dict[Any, Any]
    twice: tuple[tuple[int, str], ...]


def shown_path(path: Path) -> str:
    """The file's name with its folder."""
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


def read_yaml(path: Path, *, what: str) -> YamlFile:
    """The mapping in a file. what: says what the file should hold, for the message. Raises InputError."""
    source = shown_path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(source, [f"there is no such file{_neighbours(path)}"]) from None
    except (IsADirectoryError, NotADirectoryError):
        raise InputError(source, [f"is no file; name one{_neighbours(path / '_')}"]) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        seen = error.object[error.start]
        raise InputError(source, [f"line {line}: byte 0x{seen:02x} is not UTF-8; save the file as UTF-8"]) from None
    except OSError as error:
        raise InputError(source, [f"can't be read: {error.strerror}"]) from None
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        data: Any = None if root is None else loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        raise InputError(source, [_marked(error)]) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"line {line}: holds the control character U+{int(error.character):04X}; remove it"
        raise InputError(source, [problem]) from None
    except RecursionError:
        raise InputError(source, [f"is nested too deeply; {what}"]) from None
    if not isinstance(root, yaml.MappingNode):
        seen = "is empty" if data is None else "holds no mapping"
        raise InputError(source, [f"{seen}; {what}"])
    return YamlFile(source, root, cast(dict[Any, Any], data), tuple(_twice(root, "", set())))


class _Loader(yaml.SafeLoader):
    """Says the line of a value that looks like a number or a day and is none, such as 2026-13-01."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)  # pyright: ignore[reportUnknownVariableType]
        except (ValueError, OverflowError) as error:
            seen = str(node.value)
            seen = seen if len(seen) <= 40 else f"{seen[:37]}..."
            reason = "too many digits" if "digits" in str(error) else str(error)
            raise yaml.constructor.ConstructorError(
                None, None, f"{seen} is no value: {reason}", node.start_mark
            ) from None


_BRACKET = re.compile(r"expected ',' or '([\]}])', but got '(.+)'")
_ALIAS = re.compile(r"found undefined alias '(.*)'")
_TAG = re.compile(r"could not determine a constructor for the tag '(?:tag:yaml\.org,2002:)?(.*)'")


def _marked(error: yaml.MarkedYAMLError) -> str:
    problem, mark, opened = error.problem or "", error.problem_mark or error.context_mark, error.context_mark
    line = f"line {mark.line + 1}: " if mark else ""
    if "is no value" in problem:
        return f"{line}{problem}; correct it, or put it in quotes if it is text"
    if "'\\t'" in problem:
        return f"{line}starts with a tab; indent with spaces"
    if match := _BRACKET.match(problem):
        before = "" if match[2] == "<stream end>" else f" before {match[2]}"
        return f"line {opened.line + 1 if opened else 1}: the bracket is not closed{before}; add {match[1]}"
    if problem == "found unexpected end of stream" and opened:
        return f"line {opened.line + 1}: the quote is never closed; close it"
    if match := _ALIAS.match(problem):
        return f"{line}*{match[1]} refers to nothing; put &{match[1]} before the value it repeats, or write the value"
    if match := _TAG.match(problem):
        return f"{line}the tag {match[1]} means nothing here; remove it"
    if problem == "but found another document":
        return f"{line}a second document starts; keep one in a file"
    if problem == "found unhashable key":
        return f"{line}a list or mapping stands where a name belongs; write the name of a field"
    if problem == "mapping values are not allowed here":
        return f"{line}a second ': ' in one value; put the value in quotes, or correct the indentation"
    if problem == "could not find expected ':'":
        return f"{line}a field without ': ' after its name; add it, and a value"
    if problem.startswith("expected <block end>"):
        return f"{line}the indentation does not fit the lines above; align it with its neighbours"
    return f"{line}not YAML: {problem or error.context}"


def _neighbours(path: Path) -> str:
    folder = path.parent
    names = sorted(other.name for other in folder.glob("*.yaml")) if folder.is_dir() else []
    found = f"; found there: {', '.join(names)}" if names else ""
    return did_you_mean(path.name, names) or found


def _twice(node: yaml.Node, at: str, seen: set[int]) -> Iterator[tuple[int, str]]:
    """Keys that stand twice in one mapping: YAML would silently keep the last. seen: an anchor may hold itself."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        names: set[str] = set()
        for key, value in node.value:
            name = f"{at}.{key.value}" if at else str(key.value)
            if name in names:
                yield key.start_mark.line + 1, name
            names.add(name)
            yield from _twice(value, name, seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _twice(value, f"{at}[{index}]", seen)

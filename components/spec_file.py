"""Reads a spec file and reports everything wrong with it at once, in the user's words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from components.spec import ClusterSpec

__all__ = ["SpecError", "read_spec"]

_Path = tuple[str | int, ...]


class SpecError(Exception):
    """A spec that can't be used: `problems` has one line for each mistake in it."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__("\n".join([f"{source}: {count}", *(f"  {problem}" for problem in problems)]))


def read_spec(path: Path) -> ClusterSpec:
    """The spec in a YAML file.

    Raises SpecError with every problem: the line, the field as written, the value seen, what is allowed.
    """
    source = path.name if not path.parent.name else f"{path.parent.name}/{path.name}"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(source, [f"there is no such file{_near(path)}"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(source, [f"can't be read: {error}"]) from None
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise SpecError(source, [f"{line}not YAML: {error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise SpecError(source, [f"not YAML: {error}"]) from None
    if not isinstance(data, dict) or root is None:
        seen = "is empty" if data is None else f"holds a {_kind(data)}"
        raise SpecError(source, [f"{seen}; a spec is a mapping that starts with name: and training:"])
    problems = [(line, f"{field} is given twice; keep one") for field, line in _duplicates(root, ())]
    try:
        spec = ClusterSpec.model_validate(data)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            chosen = details["type"] == "union_tag_invalid"
            field, line = _locate((*details["loc"], "kind") if chosen else details["loc"], root)
            problems += [(line, text) for text in _say(field, details).split("\n")]
    else:
        if not problems:
            return spec
    raise SpecError(source, [f"line {line}: {text}" if line else text for line, text in sorted(problems)])


def _near(path: Path) -> str:
    names = [other.name for other in path.parent.glob("*.yaml")] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; found there: {', '.join(sorted(names))}" if names else ""


def _duplicates(node: yaml.Node, at: _Path) -> Iterator[tuple[str, int]]:
    """Keys that stand twice in one mapping: YAML would silently keep the last."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield _dotted((*at, key.value)), key.start_mark.line + 1
            seen.add(key.value)
            yield from _duplicates(value, (*at, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _duplicates(value, (*at, index))


def _say(field: _Path, details: ErrorDetails) -> str:
    """One problem: the field, the value seen, what is allowed."""
    where = _dotted(field)
    value, context = details["input"], details.get("ctx", {})
    match details["type"]:
        case "extra_forbidden":
            return f"{where} is not a field{_nearest_field(field)}"
        case "missing":
            return f"{where} is missing; add it"
        case "union_tag_not_found":
            return f"{where} has no kind; allowed: {', '.join(_kinds(field))}"
        case "union_tag_invalid":
            return f"{where} is {_choice(context.get('tag'), context.get('expected_tags', ''))}"
        case "literal_error":
            return f"{where} is {_choice(value, context.get('expected', ''))}"
        case "value_error":
            reasons = str(context.get("error", details["msg"])).split("\n")
            if isinstance(value, dict | list | BaseModel):
                return "\n".join(f"{where}: {reason}" if field else reason for reason in reasons)
            return f"{where} is {_shown(value)}: it {reasons[0]}"
        case "string_pattern_mismatch" if len(field) == 1:
            return f"{where} is {_shown(value)}; allowed: {ClusterSpec.model_fields[str(field[0])].description}"
        case _:
            wanted = re.sub(r"^(input|string|value)\b", "it", details["msg"], count=1, flags=re.IGNORECASE)
            return f"{where} is {_shown(value)}; {wanted[0].lower() + wanted[1:]}"


def _choice(value: Any, expected: str) -> str:
    """The value seen, what is allowed (`'a', 'b' or 'c'` in pydantic's words), and the nearest of it."""
    allowed = expected.replace("'", "").replace(" or ", ", ").split(", ")
    close = difflib.get_close_matches(str(value), allowed, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{_shown(value)}; allowed: {', '.join(allowed)}{hint}"


def _shown(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        return f"a {_kind(value)}"
    if value is None:
        return "empty"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _kind(value: Any) -> str:
    names = {"dict": "mapping", "tuple": "list", "str": "text"}
    name = type(value).__name__
    return names.get(name, name)


def _locate(loc: _Path, root: yaml.Node) -> tuple[_Path, int]:
    """The field as the user wrote it and its line, 0 for none: a union's kind in `loc` is no step of the file."""
    node, line, field = root, 0, list[str | int]()
    for index, step in enumerate(loc):
        found = _child(node, step)
        if found is not None:
            field.append(step)
            line, node = found
        elif index == len(loc) - 1 and not _is_kind(node, step):
            field.append(step)
    return tuple(field), line


def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        value = node.value[step]
        return value.start_mark.line + 1, value
    return None


def _is_kind(node: yaml.Node, step: str | int) -> bool:
    found = _child(node, "kind")
    return found is not None and isinstance(found[1], yaml.ScalarNode) and found[1].value == step


def _dotted(field: _Path) -> str:
    text = ""
    for step in field:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _models_at(field: _Path) -> list[type[BaseModel]]:
    """The models that a place of the spec may hold: several where a kind chooses."""
    models: list[type[BaseModel]] = [ClusterSpec]
    for step in field:
        if isinstance(step, str):
            models = [
                inner
                for model in models
                if step in model.model_fields
                for inner in _models_in(model.model_fields[step].annotation)
            ]
    return models


def _kinds(field: _Path) -> list[str]:
    return [kind for model in _models_at(field) for kind in get_args(model.model_fields["kind"].annotation)]


def _nearest_field(field: _Path) -> str:
    """What the model at this place allows, and the nearest of it."""
    models = _models_at(field[:-1])
    allowed = sorted({name for model in models for name in model.model_fields})
    if not allowed:
        return ""
    close = difflib.get_close_matches(str(field[-1]), allowed, n=1)
    return f"; did you mean {close[0]}?" if close else f"; fields here: {', '.join(allowed)}"


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models_in(inner)]

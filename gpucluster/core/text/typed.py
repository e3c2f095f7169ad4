"""Reads what users write, and what other programs answer, into a type.

Whatever is wrong ends in one `InputError`: the file or the program, and for each mistake the field, the value, and the
change to make. A shape is a type that pydantic validates: a model, or a list or mapping of them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.core.text.values import cut, shown_value
from gpucluster.core.text.yaml_text import BadYaml, YamlText, read
from gpucluster.errors import InputError

_Shape = TypeVar("_Shape")

_MOST: Final = 50
"""Maximum of listed mistakes; a file of the wrong kind has one in each entry."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """The origin of a text. name: the file, or the command in backticks. fix: the change to make instead of correcting
    the value, such as another file. program: whether a program wrote it.
    """

    name: str
    fix: str = ""
    program: bool = False

    def refusal(self, problems: Sequence[str]) -> InputError:
        """The error with these mistakes."""
        more = len(problems) - _MOST
        lines = [f"{problem}; {self.fix}" if self.fix else problem for problem in problems[:_MOST]]
        return InputError(self.name, [*lines, *([f"and {more} more like these"] if more > 0 else [])])


def read_json(text: str, shape: type[_Shape], source: Source) -> _Shape:
    """The JSON of a text as a shape. Raises InputError."""
    return typed(json_value(text, source), shape, source)


def json_value(text: str, source: Source) -> Any:
    """The JSON of a text, of any shape. Raises InputError with the line that is none, or the first."""
    subject = "the answer " if source.program else ""
    if not text.strip():
        raise source.refusal([f"{subject}is empty"])
    try:
        return parse(text)
    except BadJson as error:
        first = text.strip().splitlines()[0]
        raise source.refusal([f"{subject}{error} and starts with {shown_value(first)}"]) from None


def yaml_document(path: Path, source: Source, *, foreign: bool = False) -> YamlText:
    """The YAML of a file, of any shape. Raises InputError. foreign: as in `yaml_text.read`."""
    try:
        return read(path, foreign=foreign)
    except OSError as error:
        raise source.refusal([f"cannot be read: {error.strerror}"]) from None
    except BadYaml as error:
        raise source.refusal([str(error)]) from None


def typed(value: object, shape: type[_Shape], source: Source, faults: Sequence[str] = ()) -> _Shape:
    """A value as a shape. Raises InputError. faults: further mistakes in the text."""
    try:
        found = TypeAdapter(shape).validate_python(value)
    except ValidationError as error:
        problems = [_message(details, shape, source) for details in error.errors(include_url=False)]
        raise source.refusal([*faults, *problems]) from None
    if faults:
        raise source.refusal(faults)
    return found


_WANTED: Final = {
    "string_type": "a text", "literal_error": "one of {expected}",
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a number",
    "greater_than_equal": "a number of at least {ge:,g}", "less_than_equal": "a number of at most {le:,g}",
    "bool_type": "true or false", "bool_parsing": "true or false",
    "dict_type": "a mapping", "model_type": "a mapping", "list_type": "a list", "too_short": "one entry or more",
    "too_long": "{max_length} entries at most", "string_too_long": "{max_length} characters at most",
}  # fmt: skip
"""Kind of pydantic's error -> the required value; in braces, pydantic's facts about the field."""
_PLAIN: Final = re.compile(r"[\w./@:-]{1,60}")


def _message(details: ErrorDetails, shape: Any, source: Source) -> str:
    loc, context = details["loc"], details.get("ctx", {})
    value: object = details["input"]
    if loc and loc[-1] == "[key]":
        loc = loc[:-1]
        if details["type"] != "value_error":
            return f"{_name(loc)} is not text{'' if source.fix else '; put it in quotes'}"
    where = _name(loc) or ("the answer" if source.program else "the file")
    match details["type"]:
        case "value_error":
            return _row_message(loc, str(context["error"]))
        case "extra_forbidden":
            return f"{where} is not a field here; allowed: {', '.join(_fields_at(loc[:-1], shape))}"
        case "missing":
            return f"{where} is missing" if source.fix else f"{where} is missing; add it"
        case "string_type" if isinstance(value, int | float | datetime.date) and not source.fix:
            return f"{where} is {shown_value(value)}, which YAML does not read as text; put it in quotes"
        case kind if kind in _WANTED:
            known: dict[str, Any] = {name: _shown_bound(bound) for name, bound in context.items()}
            how = ", not" if source.fix else "; write"
            return f"{where} is {shown_value(value)}{how} {_WANTED[kind].format(**known)}"
        case _:
            return f"{where} is {shown_value(value)}, which cannot be used here"


def _row_message(loc: Sequence[str | int], text: str) -> str:
    """Adds the row to our own messages: a rule names fields by their path in the row, or starts with a verb."""
    row = _name(loc[:-1])
    return text if not row else f"{row} {text}" if text.startswith("needs ") else f"{row}.{text}"


def _shown_bound(bound: Any) -> Any:
    """For a literal: its allowed values, without the empty default."""
    if not isinstance(bound, str):
        return bound
    return ", ".join(value for value in bound.replace(" or ", ", ").split(", ") if value != "''").replace("'", "")


def _name(loc: Sequence[str | int]) -> str:
    text = ""
    for step in loc:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            shown = step if _PLAIN.fullmatch(step) else cut(repr(step))
            text += f".{shown}" if text else shown
    return text


def _fields_at(loc: Sequence[str | int], shape: Any) -> list[str]:
    """The fields of the model at a place in a shape."""
    for step in loc:
        fields: Mapping[str, FieldInfo] = getattr(shape, "model_fields", {})
        inner = fields[step].annotation if isinstance(step, str) and step in fields else shape
        shape = next((part for part in get_args(inner) if hasattr(part, "model_fields")), inner)
    return list(getattr(shape, "model_fields", {}))

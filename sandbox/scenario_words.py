"""Describes errors in a scenario file to the user: the field, the value as written, the change to make."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gpucluster.textio.values import shown_value

_WANTED: Final = {
    "string_type": "a text", "literal_error": "one of {expected}",
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a number",
    "greater_than_equal": "a number of at least {ge:,g}", "less_than_equal": "a number of at most {le:,g}",
    "bool_type": "true or false", "bool_parsing": "true or false",
    "dict_type": "a mapping", "model_type": "a mapping", "list_type": "a list", "too_short": "one entry or more",
}  # fmt: skip
"""Kind of pydantic's error -> the required value; in braces, pydantic's facts about the field."""


def problems(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """A line for each problem. model: of the whole file."""
    return [_said(details, model) for details in error.errors(include_url=False)]


def _said(details: ErrorDetails, model: type[BaseModel]) -> str:
    loc, context = details["loc"], details.get("ctx", {})
    value: object = details["input"]
    if loc[-1] == "[key]":
        loc = loc[:-1]
        if details["type"] != "value_error":
            return f"{_name(loc)} is not text; put it in quotes"
    where = _name(loc)
    match details["type"]:
        case "value_error":
            return _of_our_own(loc, str(context["error"]))
        case "extra_forbidden":
            return f"{where} is not a field here; allowed: {', '.join(_model_at(loc[:-1], model).model_fields)}"
        case "missing":
            return f"{where} is missing; add it"
        case "string_type" if isinstance(value, int | float | datetime.date):
            return f"{where} is {shown_value(value)}, which YAML does not read as text; put it in quotes"
        case kind if kind in _WANTED:
            known: dict[str, Any] = {name: _shown_bound(bound) for name, bound in context.items()}
            return f"{where} is {shown_value(value)}; write {_WANTED[kind].format(**known)}"
        case _:
            return f"{where} is {shown_value(value)}, which cannot be used here"


def _of_our_own(loc: Sequence[str | int], text: str) -> str:
    """Adds the row to our own messages: a rule names fields by their path in the row, or starts with a verb."""
    row = _name(loc[:-1])
    return f"{row} {text}" if text.startswith("needs ") else f"{row}.{text}"


def _shown_bound(bound: Any) -> Any:
    """For a literal: its allowed values, without the empty default."""
    if not isinstance(bound, str):
        return bound
    return ", ".join(value for value in bound.replace(" or ", ", ").split(", ") if value != "''").replace("'", "")


def _name(loc: Sequence[str | int]) -> str:
    text = ""
    for step in loc:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _model_at(loc: Sequence[str | int], model: type[BaseModel]) -> type[BaseModel]:
    for step in loc:
        if isinstance(step, str):
            model = get_args(model.model_fields[step].annotation)[0]
    return model

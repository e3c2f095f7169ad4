"""JSON Schemas of models, made of their types."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from gpucluster.cost.documents.diff.shape import DiffShape
from gpucluster.cost.documents.reconciliation.shape import ReconciliationShape
from gpucluster.cost.documents.report.shape import ReportShape
from gpucluster.cost.documents.words.shape import Pattern

_NAMES: Final = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
_VERSIONS: Final = (
    "Money is text in USD. schema_version increases when a field changes its meaning or is removed; new fields do not "
    "increase it, so readers should ignore unknown fields."
)


def report_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `gpucluster cost report --format json`."""
    return schema_of(ReportShape, "cost report")


def diff_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `gpucluster cost diff --format json`."""
    return schema_of(DiffShape, "cost diff")


def reconciliation_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `gpucluster cost reconcile --format json`."""
    return schema_of(ReconciliationShape, "cost reconcile")


def schema_of(shape: Any, command: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what a command writes with --format json, made of its type."""
    parts: dict[str, Any] = {}
    whole = _object(shape, parts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"gpucluster {command} --format json",
        **whole,
        "description": f"{whole['description']} {_VERSIONS}",
        "$defs": parts,
    }


def _object(shape: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Every field is required that is not said to be otherwise, and there are no others."""
    hints = get_type_hints(shape, include_extras=True)
    required = [name for name, hint in hints.items() if NotRequired not in (get_origin(hint), get_origin(_bare(hint)))]
    described = {"description": " ".join(shape.__doc__.split())} if shape.__doc__ else {}
    properties = {name: _value(hint, parts) for name, hint in hints.items()}
    return {
        "type": "object",
        **described,
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _value(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    if is_typeddict(hint):
        name = hint.__name__.removesuffix("Shape")
        if name not in parts:
            parts[name] = {}  # its place, before those of its own parts
            parts[name] = _object(hint, parts)
        return {"$ref": f"#/$defs/{name}"}
    arguments = get_args(hint)
    match get_origin(hint):
        case None:
            return {} if hint is Any else {"type": _NAMES[hint]}
        case origin if origin is Annotated:
            return _noted(_value(arguments[0], parts), arguments[1:])
        case origin if origin is NotRequired:
            return _value(arguments[0], parts)
        case origin if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": [*arguments]}
        case origin if origin in (Union, UnionType):
            return {"anyOf": [_value(one, parts) for one in arguments]}
        case origin if origin is list:
            return {"type": "array", "items": _value(arguments[0], parts)}
        case _:
            return {"type": "object", "additionalProperties": _value(arguments[1], parts)}


def _noted(value: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    for note in notes:
        value = {**value, **({"pattern": note.text} if isinstance(note, Pattern) else {"description": note})}
    return value

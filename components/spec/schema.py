"""The JSON Schema of a spec, by which editors complete and check it while it is written."""

from __future__ import annotations

import datetime
import inspect
import json
import types
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from gpucluster.components.spec.cluster import ClusterSpec, StackSpec
from gpucluster.components.spec.fields import FieldInfo, WithJsonSchema
from gpucluster.components.spec.model import Model

_Schema = dict[str, Any]


def spec_schema() -> str:
    """JSON Schema (draft 2020-12) of a spec, as text. Kept in stacks/specs/schema.json, which every spec names."""
    schema = {**model_schema(StackSpec), "description": str(ClusterSpec.__doc__).splitlines()[0]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cluster spec"}
    return json.dumps({**head, **schema}, indent=2) + "\n"


def model_schema(model: type[Model]) -> _Schema:
    """JSON Schema of a model; those of its parts are its $defs."""
    parts: dict[str, _Schema] = {}
    schema = _model(model, parts)
    return _ordered({"$defs": parts, **schema})


def _model(model: type[Model], parts: dict[str, _Schema]) -> _Schema:
    fields = model.model_fields
    properties = {name: _field(info, parts) for name, info in fields.items()}
    required = [name for name, info in fields.items() if info.required or "const" in properties[name]]
    return {
        "additionalProperties": False,
        "description": inspect.cleandoc(str(model.__doc__)),
        "properties": properties,
        **({"required": sorted(required, key="kind".__ne__)} if required else {}),
        "type": "object",
    }


def _field(info: FieldInfo, parts: dict[str, _Schema]) -> _Schema:
    schema = _rules(_typed(info.annotation, info, parts), info.rules)
    if info.default is not ... and "const" not in schema:
        schema["default"] = _plain(info.default)
    said = {"description": info.description, "examples": info.examples}
    schema |= {name: _plain(text) for name, text in said.items() if text is not None}
    return {**schema, **(info.json_schema_extra or {})}


def _rules(schema: _Schema, rules: tuple[Any, ...]) -> _Schema:
    written = [rule.schema for rule in rules if isinstance(rule, WithJsonSchema)]
    return {**written[-1]} if written else schema


def _typed(wanted: Any, info: FieldInfo | None, parts: dict[str, _Schema]) -> _Schema:
    """info: of the field whose value it is; its limits are those of the value."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        return _rules(_typed(inner[0], info, parts), inner[1:])
    if origin in (Union, types.UnionType):
        models = [_typed(part, info, parts) for part in inner if part is not type(None)]
        if len(models) > 1:
            return _one_of(inner, models)
        return {"anyOf": [*models[0].get("anyOf", models), {"type": "null"}]}
    if origin is Literal:
        kind = {"type": "string" if isinstance(inner[0], str) else "integer"}
        return {**({"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}), **kind}
    if origin is tuple:
        return {"items": _typed(inner[0], None, parts), **_limits(info, minItems="min_length"), "type": "array"}
    if origin is dict:
        of = _typed(inner[1], None, parts)
        return {"additionalProperties": of, **_limits(info, minProperties="min_length"), "type": "object"}
    if issubclass(wanted, Model):
        if wanted.__name__ not in parts:
            parts[wanted.__name__] = _model(wanted, parts)
        return {"$ref": f"#/$defs/{wanted.__name__}"}
    return _scalar(wanted, info)


def _one_of(models: tuple[type[Model], ...], found: list[_Schema]) -> _Schema:
    kinds = {
        kind: part["$ref"]
        for model, part in zip(models, found, strict=True)
        for kind in get_args(model.model_fields["kind"].annotation)
    }
    return {"discriminator": {"mapping": kinds, "propertyName": "kind"}, "oneOf": found}


def _scalar(wanted: type, info: FieldInfo | None) -> _Schema:
    if wanted is str:
        return {**_limits(info, maxLength="max_length", minLength="min_length", pattern="pattern"), "type": "string"}
    if wanted is bool:
        return {"type": "boolean"}
    if wanted is datetime.date:
        return {"format": "date", "type": "string"}
    ends = _limits(info, exclusiveMaximum="lt", exclusiveMinimum="gt", maximum="le", minimum="ge")
    if wanted is Decimal:  # as text as well, which no reader of JSON rounds
        return {"anyOf": [{**ends, "type": "number"}, {"type": "string"}]}
    return {**ends, "type": "integer"}


def _limits(info: FieldInfo | None, **names: str) -> _Schema:
    """names: what JSON Schema calls a limit -> what the field does."""
    limits = {name: getattr(info, field) for name, field in names.items() if info is not None}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _plain(value: Any) -> Any:
    """A default or an example, as JSON has it."""
    if isinstance(value, Model):
        return _plain(vars(value))
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in cast(dict[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast(list[Any], value)]
    return str(value) if isinstance(value, Decimal) else value


def _ordered(node: Any, *, by_name: bool = True) -> Any:
    """Keywords and types by name; fields as they are declared."""
    if isinstance(node, list):
        return [_ordered(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    items = cast(dict[str, Any], node).items()
    return {key: _ordered(item, by_name=key != "properties") for key, item in (sorted(items) if by_name else items)}

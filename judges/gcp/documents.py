"""Google's discovery documents, each read when needed: the one for compute has 9 MB."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpucluster.judges.gcp.names import Shape

Schema = Mapping[str, Any]


def shape(wanted: Shape) -> Schema:
    """The schema of a resource in a document."""
    name, *path = wanted.schema.split(".")
    found = at(wanted, _schemas(wanted.document)[name], path)
    assert found is not None, wanted
    return found


def at(wanted: Shape, schema: Schema, path: Sequence[str]) -> Schema | None:
    """The schema at a path, through lists and references; None if there is none.

    A step `*` leads to the values of a map.
    """
    found: Schema | None = _followed(wanted, schema)
    for step in path:
        inside = found.get("additionalProperties") if step == "*" else found.get("properties", {}).get(step)
        if inside is None:
            return None
        # A property's own attributes, such as deprecation, are beside the reference.
        found = {**_followed(wanted, inside), **{key: inside[key] for key in _OWN if key in inside}}
    return found


_OWN = ("deprecated", "description")


def _followed(wanted: Shape, schema: Schema) -> Schema:
    """Follows references; a list counts as its elements."""
    while True:
        if "$ref" in schema:
            schema = _schemas(wanted.document)[schema["$ref"]]
        elif schema.get("type") == "array":
            schema = schema["items"]
        else:
            return schema


@cache
def _schemas(document: str) -> Mapping[str, Schema]:
    spec = find_spec("googleapiclient")
    assert spec is not None and spec.origin is not None
    file = Path(spec.origin).parent / f"discovery_cache/documents/{document}.json"
    return json.loads(file.read_text(encoding="utf-8"))["schemas"]

"""The JSON Schema of a spec, by which editors complete and check it while it is written."""

from __future__ import annotations

import json
from typing import Any, cast

from gpucluster.components.spec.cluster import ClusterSpec, StackSpec


def spec_schema() -> str:
    """JSON Schema (draft 2020-12) of a spec, as text. Kept in stacks/specs/schema.json, which every spec names."""
    schema = {**StackSpec.model_json_schema(), "description": str(ClusterSpec.__doc__).splitlines()[0]}
    _plain(schema)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cluster spec"}
    return json.dumps({**head, **schema}, indent=2) + "\n"


def _plain(node: Any) -> None:
    """Without pydantic's titles, which repeat the names; a kind that chooses must be written."""
    if isinstance(node, list):
        for item in cast(list[Any], node):
            _plain(item)
    if not isinstance(node, dict):
        return
    part = cast(dict[str, Any], node)
    if isinstance(part.get("title"), str):
        del part["title"]
    properties: dict[str, Any] = part.get("properties", {})
    if "const" in properties.get("kind", {}):
        properties["kind"].pop("default", None)
        part["required"] = ["kind", *(name for name in part.get("required", []) if name != "kind")]
    for value in part.values():
        _plain(value)

"""The types of objects, from what an API server publishes and from definitions."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.api_server.definitions import sources
from gpucluster.sandbox.clouds.kubernetes.object_types import Types
from tools import object_types
from tools.object_types import custom_kinds, metadata_of, values_of

QUANTITY = {"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}]}
META = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1."


def test_listed_values_and_amounts_are_found_alone_and_in_lists_and_maps() -> None:
    spec = {
        "mode": {"type": "string", "enum": ["Block", "", "All"]},
        "modes": {"type": "array", "items": {"type": "string", "enum": ["b", "a"]}},
        "limits": {"type": "object", "additionalProperties": QUANTITY},
        "size": QUANTITY,
        "name": {"type": "string"},
        "other": {"$ref": f"{META}Time"},
    }
    amount = {"union": ["float", "str"]}
    assert values_of({"core/v1:Spec": {"properties": spec}, "core/v1:SpecStatus": {"properties": spec}, "a/b": {}}) == {
        "core/v1:Spec": {
            "limits": {"map": amount},
            "mode": {"enum": ["All", "Block", ""]},
            "modes": {"list": {"enum": ["a", "b"]}},
            "size": amount,
        }
    }


def test_the_metadata_has_the_types_of_its_parts() -> None:
    types: Types = {}
    meta = {
        "name": {"type": "string"},
        "created": {"$ref": f"{META}Time"},
        "owners": {"type": "array", "items": {"allOf": [{"$ref": f"{META}Owner"}]}},
    }
    owner = {"properties": {"uid": {"type": "string"}}, "required": ["uid"]}
    schemas: dict[str, Any] = {"meta/v1:ObjectMeta": {"properties": meta}, "meta/v1:Owner": owner}
    metadata_of({**schemas, "meta/v1:Time": {"type": "string"}}, types)
    assert types == {
        "meta/v1:ObjectMeta": {"name": "str", "created": "any", "owners": {"list": {"ref": "meta/v1:Owner"}}},
        "meta/v1:Owner": {"uid!": "str"},
    }


def test_the_served_versions_of_a_definition_share_equal_types(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}, "kind": {}}}
    versions = [
        {"name": name, "served": name != "v0", "schema": {"openAPIV3Schema": schema}} for name in ("v0", "v1", "v2")
    ]
    definition = {"spec": {"group": "g", "names": {"kind": "K"}, "versions": versions}}
    monkeypatch.setattr(object_types, "definitions_of", lambda _: [definition])
    types: Types = {}
    kinds = custom_kinds(sources()[0], types)
    assert (*kinds,) == ("g/v1:K", "g/v2:K")
    [name] = {*kinds.values()}
    inner = {key: value for key, value in types.items() if key != name}
    assert [*inner.values()] == [{"a": "str"}]
    metadata = {"ref": "meta/v1:ObjectMeta"}
    assert types[name] == {"apiVersion": "str", "kind": "str", "metadata": metadata, "spec": {"ref": next(iter(inner))}}

"""Records the types of Kubernetes objects, for `sandbox/clouds/kubernetes/object_types.py`.

`python -m tools.object_types` asks the API server of the sandbox for built-in kinds, and reads the pinned definitions
of custom kinds; both are built or downloaded where they are missing.
"""

from __future__ import annotations

import json
import ssl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from gpucluster.core.text.type_guards import is_object, items, mapping
from gpucluster.sandbox.api_server.binaries import VERSION, find_binaries
from gpucluster.sandbox.api_server.definitions import Source, definitions_of, sources
from gpucluster.sandbox.api_server.server import Server, open_server
from gpucluster.sandbox.clouds.kubernetes.object_types import FILE, METADATA, REQUIRED, Types, custom_object, type_of

_AMOUNT: Final = {"union": ["float", "str"]}
_QUANTITY: Final = "resource/Quantity"

# Values that the API server does not publish. Sources: kubernetes/kubernetes v1.36.3, pkg/apis/rbac/validation;
# kubernetes/apimachinery v0.36.3, pkg/apis/meta/v1/validation.
_UNPUBLISHED: Final = {
    "meta/v1:LabelSelectorRequirement": {"operator": {"enum": ["DoesNotExist", "Exists", "In", "NotIn"]}},
    "rbac/v1:RoleRef": {"kind": {"enum": ["ClusterRole", "Role"]}},
    "rbac/v1:Subject": {"kind": {"enum": ["Group", "ServiceAccount", "User"]}},
}

Schemas = dict[str, Mapping[str, Any]]
"""`core/v1:PodSpec` -> its schema."""


def published(server: Server) -> Schemas:
    """The schemas of the built-in kinds and their parts, as a running API server publishes them."""
    context = ssl.create_default_context(cafile=str(server.authority))

    def get(path: str) -> Mapping[str, Any]:
        request = Request(f"{server.url}{path}", headers={"Authorization": f"Bearer {server.token}"})
        with urlopen(request, context=context) as answer:
            return json.load(answer)

    found: Schemas = {}
    for part in mapping(get("/openapi/v3")["paths"]).values():
        schemas = mapping(mapping(get(part["serverRelativeURL"]).get("components")).get("schemas"))
        found |= {_short(name): mapping(schema) for name, schema in schemas.items()}
    return found


def _short(name: str) -> str:
    """`io.k8s.api.core.v1.PodSpec` as `core/v1:PodSpec`; what has no version is `resource/Quantity`."""
    *_, group, version, kind = name.split(".")
    return f"{group}/{version}:{kind}" if version.startswith("v") else f"{version}/{kind}"


def values_of(schemas: Schemas) -> dict[str, dict[str, Any]]:
    """Type -> property -> its type, where it lists values or is an amount, alone, in a list or in a map."""
    found: dict[str, dict[str, Any]] = {}
    for name, schema in sorted(schemas.items()):
        listed = {key: _values(mapping(inner), [""]) for key, inner in mapping(schema.get("properties")).items()}
        kept = {key: value for key, value in sorted(listed.items()) if value is not None}
        if kept and not name.endswith("Status"):
            found[name] = kept
    return found


def _values(schema: Mapping[str, Any], missing: Sequence[str] = ()) -> Any:
    """None for another type. missing: texts that are no value, and accepted."""
    if schema.get("enum"):
        return {"enum": [*sorted({*schema["enum"]} - {""}), *missing]}
    if any(_short(str(named).rpartition("/")[2]) == _QUANTITY for named in _named(schema)):
        return _AMOUNT
    for form, inner in (("list", schema.get("items")), ("map", schema.get("additionalProperties"))):
        if is_object(inner) and (found := _values(inner)) is not None:
            return {form: found}
    return None


def _named(schema: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(part["$ref"]) for part in (schema, *map(mapping, items(schema.get("allOf")))) if "$ref" in part)


def metadata_of(schemas: Schemas, types: Types) -> None:
    """Adds the type of the metadata, with those of its parts."""
    waiting = [METADATA]
    while waiting:
        name = waiting.pop()
        properties: dict[str, Any] = {}
        for key, inner in mapping(schemas[name].get("properties")).items():
            part = mapping(inner.get("items") or inner)
            refs = [_short(ref.rpartition("/")[2]) for ref in _named(part)]
            known = [ref for ref in refs if mapping(schemas[ref].get("properties"))]
            waiting += known
            end = REQUIRED if key in items(schemas[name].get("required")) else ""
            type_ = {"ref": known[0]} if known else type_of(part, types)
            properties[f"{key}{end}"] = {"list": type_} if "items" in inner else type_
        types[name] = properties


def custom_kinds(source: Source, types: Types) -> dict[str, str]:
    """`group/version:Kind` -> name of its type, of the definitions of a row of the table."""
    found: dict[str, str] = {}
    for spec in (mapping(definition.get("spec")) for definition in definitions_of(source)):
        for version in map(mapping, items(spec.get("versions"))):
            if version.get("served"):
                kind = f"{spec['group']}/{version['name']}:{spec['names']['kind']}"
                found[kind] = custom_object(mapping(mapping(version.get("schema")).get("openAPIV3Schema")), types)
    return found


def main() -> None:
    """Writes the file."""
    with tempfile.TemporaryDirectory() as folder, open_server(Path(folder) / "server", find_binaries()) as server:
        schemas = published(server)
    types: Types = {}
    metadata_of(schemas, types)
    kinds = {source.brought_by: custom_kinds(source, types) for source in sources()}
    modules = {source.brought_by: f"{source.module} {source.module_version}" for source in sources()}
    parts: Mapping[str, Mapping[str, Any]] = {
        "sources": {"": f"k8s.io/kubernetes v{VERSION}", **modules},
        "versions": {source.brought_by: source.version for source in sources()},
        "values": dict(sorted((values_of(schemas) | _UNPUBLISHED).items())),
        "kinds": kinds,
        "types": dict(sorted(types.items())),
    }
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(key)}: {_lines(part)}" for key, part in parts.items()) + "\n}\n")


def _lines(part: Mapping[str, Any]) -> str:
    """An object with a line for each member."""
    members = (f" {json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in part.items())
    return "{\n" + ",\n".join(members) + "\n}"


if __name__ == "__main__":
    main()

"""The properties of objects that the SDK's types lack: values of built-in kinds, and custom kinds: `object_types.json`.

The file has of built-in kinds the properties with listed values or amounts, as the API server publishes them; and the
definitions in `sandbox/api_server/definitions.csv`. They apply to every patch of the version of a chart: of another
version, and of another chart, any property is accepted. `tools/object_types.py` records them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_object, items, mapping
from gpucluster.sandbox.clouds.kubernetes import aks, gke
from gpucluster.sandbox.clouds.kubernetes.chart_values import same_line
from gpucluster.sandbox.clouds.kubernetes.definitions import (
    DEFINITION,
    is_defined_by,
    is_in_tables,
    kinds_of_release,
    known_chart,
)
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, cluster_at
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType
from gpucluster.sandbox.clouds.types.values import plain

FILE: Final = Path(__file__).with_suffix(".json")
REQUIRED: Final = "!"
"""End of the name of a required property in the file."""
METADATA: Final = "meta/v1:ObjectMeta"
"""The type of the metadata of every object."""

Types = dict[str, dict[str, Any]]
"""Name of a type -> its properties, with types in the form of `sdk_types.read_type`."""

_SCALARS: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


@cache
def recorded() -> Mapping[str, Any]:
    """values: of built-in types. versions, kinds: of each chart or cloud. types: of custom kinds."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def with_values(type_: ResourceType) -> ResourceType:
    """A built-in type with the values that the API server accepts."""
    _, module, name = type_.token.split(":")
    inputs = _with_values(f"{module.split('/')[0].split('.')[0]}/{module.split('/')[-1]}:{name}", type_.inputs)
    types = {reference: _with_values(reference, properties) for reference, properties in type_.types.items()}
    return replace(type_, inputs=inputs, types=types)


def _with_values(reference: str, properties: Mapping[str, Property]) -> Mapping[str, Property]:
    """reference: of the SDK, such as `core/v1/_inputs:PodSpecArgs`. Parts of patches accept the same values."""
    name = reference.replace("/_inputs:", ":").removesuffix("Args").removesuffix("Patch")
    listed: Mapping[str, Any] = recorded()["values"].get(name, {})
    return {key: replace(prop, type=listed.get(key, prop.type)) for key, prop in properties.items()}


def custom_type(ledger: Ledger, server: str, token: str) -> ResourceType | None:
    """The type of a custom kind, by its definition in the cluster; None if that is not known."""
    group_version, kind = token.removeprefix("kubernetes:").rsplit(":", 1)
    group, _, version = group_version.partition("/")
    for entry in ledger.find("kubernetes", server, DEFINITION):
        if is_defined_by(entry, group, kind):
            return declared_type(mapping(plain(entry.inputs.get("spec"))), token, version)
    for brought_by in _brought_by(ledger, server, f"{group}:{kind}"):
        if named := recorded()["kinds"].get(brought_by, {}).get(f"{group_version}:{kind}"):
            return _resource_type(token, named, recorded()["types"])
    return None


def declared_type(definition: Mapping[str, Any], token: str, version: str) -> ResourceType | None:
    """The type of a definition's version. definition: its spec. None without a schema."""
    for served in map(mapping, items(definition.get("versions"))):
        schema = mapping(served.get("schema")).get("openAPIV3Schema")
        if served.get("name") == version and is_object(schema):
            types: Types = dict(recorded()["types"])
            return _resource_type(token, custom_object(schema, types), types)
    return None


def _brought_by(ledger: Ledger, server: str, wanted: str) -> Iterator[str]:
    """The names in the file of what installs a kind in a cluster, in its version."""
    cluster = cluster_at(ledger, server)
    if wanted in aks.kinds_of(cluster):
        yield "aks"
    if wanted in gke.kinds_of(cluster):
        yield from ("gke", "gke-autoscaler", "gke-prometheus")
    for entry in ledger.find("kubernetes", server, RELEASE):
        release = mapping(plain(entry.inputs))
        chart, version = known_chart(release), str(release.get("version") or "")
        if same_line(version, recorded()["versions"].get(chart, "")) and (
            not is_in_tables(chart) or wanted in kinds_of_release(release)
        ):
            yield chart


def _resource_type(token: str, name: str, types: Mapping[str, Mapping[str, Any]]) -> ResourceType:
    found: dict[str, Mapping[str, Property]] = {}
    waiting = [name]
    while waiting:
        reference = waiting.pop()
        if reference not in found:
            found[reference] = {
                key.removesuffix(REQUIRED): Property(type_, required=key.endswith(REQUIRED))
                for key, type_ in types[reference].items()
            }
            waiting += [other for prop in found[reference].values() for other in _references(prop.type)]
    return ResourceType(token, found[name], {}, found)


def _references(type_: Any) -> Iterator[str]:
    if is_object(type_):
        ((form, inner),) = type_.items()
        if form == "ref":
            yield str(inner)
        else:
            yield from _references(inner)


def custom_object(schema: Mapping[str, Any], types: Types) -> str:
    """The name of the type of a custom kind. schema: of its definition. types: the types so far, and its own."""
    inner = {**mapping(schema.get("properties"))}
    every = {"apiVersion": "str", "kind": "str", "metadata": {"ref": METADATA}}
    status = {"status": "any"} if inner.pop("status", None) is not None else {}
    given = {key: value for key, value in inner.items() if key not in every}
    return _named({**every, **_properties({**schema, "properties": given}, types), **status}, types)


def type_of(schema: Mapping[str, Any], types: Types) -> Any:
    """A schema in OpenAPI's form as a type. types: the types so far, and those of its parts."""
    if "$ref" in schema:
        return "any"
    if _flag(schema, "int-or-string"):
        return {"union": ["int", "str"]}
    if schema.get("enum"):
        return {"enum": schema["enum"]}
    if schema.get("type") == "array":
        return {"list": type_of(mapping(schema.get("items")), types)}
    if schema.get("type") != "object" or _flag(schema, "preserve-unknown-fields"):
        return _SCALARS.get(str(schema.get("type")), "any")
    values = schema.get("additionalProperties")
    if values:
        return {"map": type_of(mapping(values), types)}
    return {"ref": _named(_properties(schema, types), types)}


def _flag(schema: Mapping[str, Any], name: str) -> bool:
    """Programs write a definition in Kubernetes' form, or by the SDK's class, whose names have no hyphen."""
    return any(schema.get(key) is True for key in (f"x-kubernetes-{name}", f"x_kubernetes_{name.replace('-', '_')}"))


def _properties(schema: Mapping[str, Any], types: Types) -> dict[str, Any]:
    """The API server fills in a default before it looks for required properties."""
    required = items(schema.get("required"))
    return {
        f"{name}{REQUIRED if name in required and 'default' not in inner else ''}": type_of(mapping(inner), types)
        for name, inner in mapping(schema.get("properties")).items()
    }


def _named(properties: dict[str, Any], types: Types) -> str:
    """Equal types of several kinds are one, named by their content."""
    name = sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()[:8]
    types[name] = properties
    return name

"""The types of one SDK, extracted on first use and kept in the user's cache folder, and its schema in Pulumi's form.

A whole SDK takes half a minute to read, so the schema has only the types that a command is about. Source of the form:
pulumi/pulumi pkg/codegen/schema/pulumi.json.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.clouds.types.sdk_types import Sdk


@dataclass(frozen=True)
class Property:
    """One input or output: its type in the form of `sdk_types.read_type`, and whether it is always present."""

    type: Any
    required: bool


@dataclass(frozen=True)
class ResourceType:
    """The inputs and outputs of a resource type.

    open: the SDK does not contain the type (a custom Kubernetes resource), so any property is accepted.
    api_version: of the API of the type, empty if it is missing in the SDK.
    """

    token: str
    inputs: Mapping[str, Property]
    outputs: Mapping[str, Property]
    types: Mapping[str, Mapping[str, Property]] = field(default_factory=dict[str, Mapping[str, Property]])
    open: bool = False
    api_version: str = ""


class Schema:
    """The resource types of one installed SDK."""

    def __init__(self, sdk: Sdk) -> None:
        self.sdk = sdk
        self._folder = cache_folder() / "sdk-types" / f"{sdk.package}-{sdk.version}"
        self._types: dict[str, ResourceType | None] = {}

    @property
    def used(self) -> list[str]:
        """The resource types that were looked up so far."""
        return [token for token, type_ in self._types.items() if type_ is not None and token in self.sdk.modules]

    def resource_type(self, token: str) -> ResourceType | None:
        """The type or data source with this token, None if the SDK does not have it."""
        if token not in self._types:
            raw = self._cached(token)
            self._types[token] = _resource_type(token, raw) if raw else None
        return self._types[token]

    def _cached(self, token: str) -> dict[str, Any] | None:
        from gpucluster.sandbox.clouds.types import sdk_types

        file = self._folder / f"{sdk_types.FORMAT}-{token.replace('/', '_').replace(':', '_')}.json"
        try:
            return json.loads(file.read_text())
        except (OSError, ValueError):
            declaration = self.sdk.declaration(token)
            if declaration is None:
                return None
            raw = sdk_types.read_type(self.sdk.root, declaration)
            _write(file, json.dumps(raw, separators=(",", ":")))
            return raw


def _resource_type(token: str, raw: Mapping[str, Any]) -> ResourceType:
    return ResourceType(
        token,
        _properties(raw["inputs"]),
        _properties(raw["outputs"]),
        {name: _properties(properties) for name, properties in raw["types"].items()},
        api_version=raw["api_version"],
    )


def _properties(raw: Mapping[str, Any]) -> dict[str, Property]:
    return {name: Property(prop["type"], prop["required"]) for name, prop in raw.items()}


def _write(file: Path, text: str) -> None:
    """Writes completely or not at all; an unwritable cache only costs time."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as scratch:
            scratch.write(text)
        Path(scratch.name).replace(file)
    except OSError:
        return


_SCALARS: Final = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "any": {"$ref": "pulumi.json#/Any"},
    "asset": {"$ref": "pulumi.json#/Asset"},
}
_OWN: Final = frozenset({"id", "urn"})
"""Outputs that every resource has."""

_OF_THE_BRIDGE: Final = "(.*)(?:/[^/]*)"
"""The module of a type in a program, by providers that come from Terraform: `ec2` in `aws:ec2/vpc:Vpc`."""


def package_schema(schema: Schema, named: Set[str]) -> Mapping[str, Any]:
    """The schema of a package with the types that were used so far, and those that are named.

    named: words that may be type tokens, also without the part after a slash, as programs in YAML write them.
    """
    package = schema.sdk.package
    document = _Document(package)
    wanted = {token for token in schema.sdk.modules if named & spellings(token)} | {*schema.used}
    resources = {token: type_ for token in sorted(wanted) if (type_ := schema.resource_type(token)) is not None}
    requested = sorted(token for word in named for token in _data_sources(word, package))
    functions = {token: type_ for token in requested if (type_ := schema.resource_type(token)) is not None}
    provider = schema.resource_type(f"pulumi:providers:{package}")
    return {
        "name": package,
        "version": schema.sdk.version,
        "meta": {"moduleFormat": _OF_THE_BRIDGE if any(map(_is_bridged, resources)) else "(.*)"},
        "language": {
            "python": {"moduleNameOverrides": {token.split(":")[1]: token.split(":")[1] for token in resources}}
        },
        "provider": document.resource(provider) if provider is not None else {},
        "resources": {token: document.resource(type_) for token, type_ in resources.items()},
        "functions": {token: document.function(type_) for token, type_ in functions.items()},
        "types": document.types,
    }


def spellings(token: str) -> frozenset[str]:
    """The ways to write a type in YAML.

    Source: pulumi/pulumi-yaml pkg/pulumiyaml/packages.go (ResolveResource).
    """
    package, module, name = token.split(":")
    short = module.split("/")[0]
    return frozenset({token, f"{package}:{short}:{name}"} | ({f"{package}:{name}"} if short == "index" else set()))


def _data_sources(word: str, package: str) -> Iterator[str]:
    """The data sources that a word in YAML may mean, as `spellings`; their names begin with a small letter."""
    owner, *module, name = word.split(":")
    if owner == package and name[:1].islower():
        short = module[0].split("/")[0] if module else "index"
        yield from (f"{package}:{short}/{name}:{name}", f"{package}:{short}:{name}")


def _is_bridged(token: str) -> bool:
    """Whether the module of a type ends in its name, as in `ec2/vpc:Vpc`; versions such as `core/v1` are modules."""
    _, module, name = token.split(":")
    return module.partition("/")[2].lower() == name.lower()


class _Document:
    """types: the object types of the resources so far."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.types: dict[str, Any] = {}

    def function(self, type_: ResourceType) -> Mapping[str, Any]:
        """A data source."""
        self._add_types(type_)
        inputs, outputs = (self._members(properties) for properties in (type_.inputs, type_.outputs))
        return {"inputs": {"type": "object", **inputs}, "outputs": {"type": "object", **outputs}}

    def resource(self, type_: ResourceType) -> Mapping[str, Any]:
        """A resource type."""
        self._add_types(type_)
        inputs = self._members(type_.inputs)
        outputs = self._members({name: prop for name, prop in type_.outputs.items() if name not in _OWN})
        return {"inputProperties": inputs["properties"], "requiredInputs": inputs["required"], **outputs}

    def _add_types(self, type_: ResourceType) -> None:
        for reference, properties in type_.types.items():
            self.types[self._token(reference)] = {"type": "object", **self._members(properties)}

    def _members(self, properties: Mapping[str, Property]) -> Mapping[str, Any]:
        return {
            "properties": {name: self._type(prop.type) for name, prop in properties.items()},
            "required": [name for name, prop in properties.items() if prop.required],
        }

    def _type(self, of: Any) -> Mapping[str, Any]:
        if isinstance(of, str):
            return _SCALARS[of]
        ((kind, inner),) = of.items()
        match kind:
            case "list":
                return {"type": "array", "items": self._type(inner)}
            case "map":
                return {"type": "object", "additionalProperties": self._type(inner)}
            case "union":
                return {"oneOf": [self._type(option) for option in inner]}
            case "ref":
                return {"$ref": f"#/types/{self._token(inner)}"}
            case "const":
                return {"type": "string", "const": inner}
            case _:
                return {"type": "string"}

    def _token(self, reference: str) -> str:
        """A name for an object type of the SDK."""
        module, name = reference.split(":")
        return f"{self._package}:{module.replace('/', '_')}:{name}"

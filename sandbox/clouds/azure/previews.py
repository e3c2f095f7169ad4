"""The outputs in a preview, as azure-native calculates them: the inputs in the form of the outputs, else unknown.

In an update, too, every output without an input is unknown, except the name and the location: dependents show as
changed until the update is done. Source: pulumi/pulumi-azure-native provider/pkg/convert/previewOutputs.go,
provider/pkg/provider/provider.go (Update).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.schema import Property, ResourceType
from gpucluster.sandbox.clouds.values import UNKNOWN, Secret
from gpucluster.sandbox.type_guards import is_list, is_object

_STABLE: Final = ("name", "location")
_SCALARS: Final = {"str": str, "int": int | float, "float": int | float, "bool": bool}


def previewed(resource: Resource) -> dict[str, Any]:
    """Every output of a resource to be created or updated."""
    found = _object(resource.inputs, resource.type.outputs, resource.type)
    stable = {name: resource.outputs[name] for name in _STABLE if resource.outputs.get(name) is not None}
    return {**found, **{name: value for name, value in stable.items() if name in found}}


def _object(given: Mapping[str, Any], properties: Mapping[str, Property], type_: ResourceType) -> dict[str, Any]:
    return {name: _value(given.get(name, UNKNOWN), prop.type, type_) for name, prop in properties.items()}


def _value(given: Any, shape: Any, type_: ResourceType) -> Any:
    if isinstance(given, Secret):
        return Secret(_value(given.value, shape, type_))
    if isinstance(shape, str):
        expected = _SCALARS.get(shape)
        return given if expected is None or isinstance(given, expected) else UNKNOWN
    ((kind, inner),) = shape.items()
    if kind == "const":
        return inner
    if kind == "list" and is_list(given):
        return [_value(item, inner, type_) for item in given]
    if kind == "map" and is_object(given):
        return {key: _value(item, inner, type_) for key, item in given.items()}
    if kind == "ref" and is_object(given):
        return _object(given, type_.types[inner], type_)
    return given if kind in ("union", "enum") else UNKNOWN

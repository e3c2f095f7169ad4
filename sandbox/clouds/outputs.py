"""Completes the outputs of a resource, so that none is missing in a preview or after an update.

An output missing from the engine's answer is None at `up`, vanishes from dependants and shows as a change later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.types.schema import ResourceType
from gpucluster.sandbox.clouds.types.values import UNKNOWN

REPEATED: Final[Mapping[str, tuple[str, ...]]] = {"tags": ("tagsAll",), "labels": ("effectiveLabels", "pulumiLabels")}
"""Input -> outputs with the same content, and more."""


def before(resource: Resource, known: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs in a preview: inputs as given, existing values unchanged, the rest unknown.

    known: other outputs, computed by the cloud.
    """
    if resource.type.open:
        return {**resource.inputs, **known}
    outputs: dict[str, Any] = {}
    for name in resource.type.outputs:
        if name in known:
            outputs[name] = known[name]
        elif resource.outputs:
            outputs[name] = _updated(resource, name)
        else:
            outputs[name] = resource.inputs.get(name, UNKNOWN)
    return outputs


def after(resource: Resource, made: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs after a create or update.

    made: outputs computed by the cloud; they override the inputs.
    """
    if resource.type.open:
        return {**resource.inputs, **made}
    outputs: dict[str, Any] = {}
    for name, prop in resource.type.outputs.items():
        if name in made:
            outputs[name] = made[name]
            continue
        value = _updated(resource, name) if resource.outputs else resource.inputs.get(name)
        outputs[name] = _zero(prop.type, resource.type) if value is None and prop.required else value
    return outputs


def _updated(resource: Resource, name: str) -> Any:
    """The value of an output in an update: the new value of a changed input, otherwise the previous value."""
    if name in resource.inputs:
        unchanged = name in resource.outputs and resource.inputs[name] == resource.old_inputs.get(name)
        return resource.outputs[name] if unchanged else resource.inputs[name]
    return None if name in resource.old_inputs else resource.outputs.get(name)


def _zero(type_: Any, resource_type: ResourceType) -> Any:
    """The empty value of a type, for an output that is never null and that no model computes."""
    if isinstance(type_, str):
        return {"str": "", "int": 0, "float": 0, "bool": False}.get(type_)
    ((kind, inner),) = type_.items()
    match kind:
        case "list":
            return []
        case "map":
            return {}
        case "const":
            return inner
        case "enum":
            return ""
        case "ref":
            properties = resource_type.types[inner]
            return {name: _zero(prop.type, resource_type) for name, prop in properties.items() if prop.required}
        case _:
            return _zero(inner[0], resource_type)

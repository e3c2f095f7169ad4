"""Generated names, as in pulumi-aws: the logical name, a dash and seven hexadecimal digits.

Source: pulumi/pulumi-aws v7 provider/resources.go and its overrides: `SetAutonaming(255, "-")` for every type with an
input `name`, and the explicit `AutoName...` entries repeated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.naming import DEFAULTS_KEY, hex_suffix, is_generated


@dataclass(frozen=True)
class _Rule:
    property: str
    shape: Callable[[str], str] = str


_RULES: Final[Mapping[str, _Rule]] = {
    "aws:s3/bucket:Bucket": _Rule("bucket", str.lower),
    "aws:eks/nodeGroup:NodeGroup": _Rule("nodeGroupName"),
    "aws:eks/fargateProfile:FargateProfile": _Rule("fargateProfileName"),
    "aws:cloudwatch/eventTarget:EventTarget": _Rule("targetId"),
    "aws:efs/fileSystem:FileSystem": _Rule("creationToken"),
    "aws:kms/alias:Alias": _Rule("name", lambda name: f"alias/{name}"),
}

_CONSTANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "aws:ec2/securityGroup:SecurityGroup": {"description": "Managed by Pulumi"},
}


def name_property(resource: Resource) -> str | None:
    """The input with the name of a type, None for types without one."""
    if resource.token in _RULES:
        return _RULES[resource.token].property
    return "name" if "name" in resource.type.inputs and resource.type.inputs["name"].type == "str" else None


def with_name(resource: Resource, seed: bytes) -> dict[str, Any]:
    """The inputs with a name and constant defaults if the program has none; a generated name stays in updates."""
    inputs = dict(resource.inputs)
    filled = {key: value for key, value in _CONSTANTS.get(resource.token, {}).items() if inputs.get(key) is None}
    prop = name_property(resource)
    if prop is not None and inputs.get(prop) is None and inputs.get(f"{prop}Prefix") is None:
        if is_generated(resource.old_inputs, prop):
            filled[prop] = resource.old_inputs[prop]
        else:
            filled[prop] = _generated(resource, seed)
    return {**inputs, **filled, DEFAULTS_KEY: sorted(filled)} if filled else inputs


def _generated(resource: Resource, seed: bytes) -> str:
    rule = _RULES.get(resource.token, _Rule("name"))
    suffix = ".fifo" if resource.inputs.get("fifoQueue") is True or resource.inputs.get("fifoTopic") is True else ""
    return f"{rule.shape(resource.logical_name)}-{hex_suffix(seed, 7)}{suffix}"

"""The defaults that azure-native sets in Check: names, locations and the API version.

Source: pulumi/pulumi-azure-native provider/pkg/provider/provider.go (applyDefaults, getDefaultName,
getDefaultLocation). The default name is the logical name and eight hexadecimal digits, only the logical name, or a GUID
(`paths.py`). The default location is the previous one, the provider's, or that of the resource group.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from gpucluster.sandbox.clouds.azure.paths import AutoName, path_of
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.model import hex_suffix
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN

CREATE_BEFORE_DELETE: Final = "__createBeforeDelete"
"""Input that records that the provider chose the name, so that old and new can exist side by side."""

_GROUP: Final = "azure-native:resources:ResourceGroup"
_DIGITS: Final = 8


def with_defaults(resource: Resource, seed: bytes, location: str, ledger: Ledger) -> dict[str, Any]:
    """The inputs with the provider's defaults.

    location: the provider's, empty if it has none.
    """
    found = {**resource.inputs, **_name(resource, seed)}
    if "location" in resource.type.inputs and found.get("location") is None:
        own = resource.old_inputs.get("location") or location or _location_of_group(found, ledger)
        found |= {"location": own} if own is UNKNOWN or own else {}
    if resource.type.api_version:
        found["azureApiVersion"] = resource.type.api_version
    return found


def _name(resource: Resource, seed: bytes) -> dict[str, Any]:
    path = path_of(resource.type)
    prop = path.name_property
    if resource.inputs.get(prop) is not None:
        return {}
    before = resource.old_inputs.get(prop)
    if before is not None:
        generated = resource.old_inputs.get(CREATE_BEFORE_DELETE) is True
        return {prop: before, **({CREATE_BEFORE_DELETE: True} if generated else {})}
    match path.auto_name:
        case AutoName.COPY:
            return {prop: resource.logical_name}
        case AutoName.GUID:
            return {prop: str(UUID(hex_suffix(seed, 32))), CREATE_BEFORE_DELETE: True}
        case AutoName.RANDOM:
            return {prop: f"{resource.logical_name}{hex_suffix(seed, _DIGITS)}", CREATE_BEFORE_DELETE: True}


def _location_of_group(inputs: dict[str, Any], ledger: Ledger) -> Any:
    """The location of the resource group: unknown if the group is, empty if it does not exist."""
    name = inputs.get("resourceGroupName")
    if name is UNKNOWN:
        return UNKNOWN
    groups = ledger.mentioning({_GROUP}, name) if isinstance(name, str) else []
    return next((entry.outputs["location"] for entry in groups if entry.name.lower() == str(name).lower()), "")

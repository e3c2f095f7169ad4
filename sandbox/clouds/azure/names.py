"""Names and locations: the defaults that azure-native sets in Check, and the provider's refusals before a request to
ARM.

Source: pulumi/pulumi-azure-native provider/pkg/provider/provider.go (applyDefaults, getDefaultName,
getDefaultLocation). The default name is the logical name and eight hexadecimal digits, only the logical name, or a GUID
(`paths.py`). The default location is the previous one, the provider's, or that of the resource group.

Source: Azure/azure-rest-api-specs, patterns and lengths of the path parameters of each resource and of
common-types/resource-management; pulumi/pulumi-azure-native provider/pkg/provider/provider.go (validateProperty) for
the text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.model import MODELS, location_of
from gpucluster.sandbox.clouds.azure.paths import AutoName, path_of
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.model import hex_suffix
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.validate import Failure
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


@dataclass(frozen=True)
class _Text:
    """The allowed form of a string: its length in characters and an expression."""

    least: int = 0
    most: int = 0
    pattern: str = ""

    def failures(self, path: str, value: Any) -> Iterator[Failure]:
        if not isinstance(value, str):
            return
        if self.least and len(value) < self.least:
            reason = f"'{path}' is too short ({len(value)}): at least {self.least} characters required"
            yield Failure(path, reason)
        if self.most and len(value) > self.most:
            yield Failure(path, f"'{path}' is too long ({len(value)}): at most {self.most} characters allowed")
        if self.pattern and not re.search(self.pattern, value):
            yield Failure(path, f"'{path}' does not match expression '{self.pattern}'")


_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_POOL_NAME: Final = _Text(pattern="^[a-z][a-z0-9]{0,11}$")
_CLUSTER_NAME: Final = _Text(1, 63, "^[a-zA-Z0-9]$|^[a-zA-Z0-9][-_a-zA-Z0-9]{0,61}[a-zA-Z0-9]$")
_LUSTRE_NAME: Final = _Text(2, 80, "^[0-9a-zA-Z][-0-9a-zA-Z_]{0,78}[0-9a-zA-Z]$")

_GROUP_NAME: Final = _Text(1, 90)
_ANY_NAME: Final = _Text(1)
"""A path with an empty part is another path; terraform-provider-azurerm 5.2.0 refuses every empty name."""

_TEXTS: Final[Mapping[str, Mapping[str, _Text]]] = {
    "azure-native:containerservice:AgentPool": {"agentPoolName": _POOL_NAME, "resourceName": _CLUSTER_NAME},
    "azure-native:containerservice:MaintenanceConfiguration": {"resourceName": _CLUSTER_NAME},
    _CLUSTER: {"resourceName": _CLUSTER_NAME},
    "azure-native:storage:StorageAccount": {"accountName": _Text(3, 24)},
    "azure-native:storage:BlobContainer": {"containerName": _Text(3, 63)},
    "azure-native:storagecache:AmlFilesystem": {"amlFilesystemName": _LUSTRE_NAME},
}
# Source: Azure Monitor documentation, "Action groups" (Global, or a region that keeps data in it).
_GLOBAL_TOO: Final = frozenset({"azure-native:monitor:ActionGroup"})
_NO_LOCATION: Final = (
    "missing required property 'location'. Either set it explicitly or configure it with "
    "'pulumi config set azure-native:location <value>'."
)


def refused_inputs(resource: Resource) -> list[Failure]:
    """Every refused input of this resource, in order; the inputs are those with names and locations filled in."""
    found: list[Failure] = []
    texts = _TEXTS.get(resource.token, {})
    for name in dict.fromkeys((*texts, *path_of(resource.type).parameters)):
        text = texts.get(name, _GROUP_NAME if name == "resourceGroupName" else _ANY_NAME)
        found += text.failures(name, resource.inputs.get(name))
    if resource.token == _GROUP and resource.inputs.get("location") is None:
        found.append(Failure("location", _NO_LOCATION))
    if resource.token == _CLUSTER:
        for at, pool in enumerate(items(resource.inputs.get("agentPoolProfiles"))):
            found += _POOL_NAME.failures(f"agentPoolProfiles[{at}].name", mapping(pool).get("name"))
    return [*found, *_no_region(resource)]


def _no_region(resource: Resource) -> Iterator[Failure]:
    """Checks the modelled types, which are all in a region with few exceptions; others are global, or in a
    geography.
    """
    location = resource.inputs.get("location")
    if resource.token in _GLOBAL_TOO and location_of(str(location)) == "global":
        return
    if resource.token in MODELS and isinstance(location, str) and location_of(location) not in azure_regions():
        near = difflib.get_close_matches(location_of(location)[:40], azure_regions(), n=1)
        reason = f"{location[:80]!r} is no region of Azure{f'; did you mean {near[0]!r}?' if near else ''}"
        yield Failure("location", reason)

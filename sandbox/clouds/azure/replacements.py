"""The properties whose change replaces a resource: those in its path, and `replacements.csv`."""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.azure.identity import location_of
from gpucluster.sandbox.clouds.azure.paths import path_of
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.diff import Change, property_names
from gpucluster.sandbox.clouds.replacement_table import listed

_IN_PLACE: Final = frozenset({"azureApiVersion", "tags"})


def replaces(resource: Resource, change: Change) -> bool | None:
    """Whether this change replaces the resource; None if the table has no answer for the property.

    Source: pulumi/pulumi-azure-native provider/pkg/provider/diff.go, the inputs in the path, and locations in another
    spelling, which are no change for the provider; every resource provider changes tags in place.
    """
    path = property_names(change.path)
    if path[0] in path_of(resource.type).parameters:
        return True
    if path == ("location",) and _is_same_place(resource):
        return False
    return False if path[0] in _IN_PLACE else listed("gpucluster.sandbox.clouds.azure", resource.token, path)


def _is_same_place(resource: Resource) -> bool:
    before, now = resource.old_inputs.get("location"), resource.inputs.get("location")
    return isinstance(before, str) and isinstance(now, str) and location_of(before) == location_of(now)

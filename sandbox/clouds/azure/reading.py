"""ARM's answer to a read, which exceeds the request: a cluster lists all of its pools.

Also separate ones: a refresh adds them to the cluster's `agentPoolProfiles`, in outputs and inputs, and the program's
next request leaves them out again. Sources: pulumi/pulumi-azure-native #2719 and #4264; Azure/azure-rest-api-specs
containerservice 2025-09-01, ManagedClusterAgentPoolProfile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.type_guards import items, mapping

_PROFILES: Final = "agentPoolProfiles"
_OF_THE_RESOURCE: Final = frozenset(
    {"agentPoolName", "azureApiVersion", "id", "resourceGroupName", "resourceName", "type"}
)
"""Properties of a pool that only a separate resource has."""


def as_read(entry: Entry, pools: Iterable[Entry]) -> Entry:
    """The resource in the answer to a GET. pools: all pools that are separate resources."""
    if entry.type != CLUSTER:
        return entry
    prefix = f"{entry.id.lower()}/"
    apart = sorted((it for it in pools if it.type == AGENT_POOL and it.id.lower().startswith(prefix)), key=_name)
    return replace(entry, inputs=_with(entry.inputs, apart, "inputs"), outputs=_with(entry.outputs, apart, "outputs"))


def _name(pool: Entry) -> str:
    return pool.name


def _with(values: Mapping[str, Any], pools: list[Entry], side: str) -> dict[str, Any]:
    names = {pool.name for pool in pools}
    own = [profile for profile in items(values.get(_PROFILES)) if mapping(profile).get("name") not in names]
    return {**values, _PROFILES: [*own, *(_profile(pool, getattr(pool, side)) for pool in pools)]}


def _profile(pool: Entry, values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key not in _OF_THE_RESOURCE and value is not None}
    return {**kept, "name": pool.name, "type": pool.inputs.get("type") or "VirtualMachineScaleSets"}


def own_part(outputs: Mapping[str, Any], entry: Entry) -> Mapping[str, Any]:
    """A state's outputs of a resource without pools that a refresh may have added."""
    if entry.type != CLUSTER:
        return outputs
    own = {mapping(profile).get("name") for profile in items(entry.outputs.get(_PROFILES))}
    profiles = [profile for profile in items(outputs.get(_PROFILES)) if mapping(profile).get("name") in own]
    return {**outputs, _PROFILES: profiles}

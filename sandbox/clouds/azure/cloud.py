# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""The properties whose change replaces a resource: those in its path, and `replacements.csv`.

In an update, too, every output without an input is unknown, except the name and the location: dependents show as
changed until the update is done. Source: pulumi/pulumi-azure-native provider/pkg/convert/previewOutputs.go,
provider/pkg/provider/provider.go (Update).

Also separate ones: a refresh adds them to the cluster's `agentPoolProfiles`, in outputs and inputs, and the program's
next request leaves them out again. Sources: pulumi/pulumi-azure-native #2719 and #4264; Azure/azure-rest-api-specs
containerservice 2025-09-01, ManagedClusterAgentPoolProfile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, items, mapping
from gpucluster.sandbox.clouds.azure import deletion, invokes, names
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.azure.model import (
    ManagedResource,
    arm_id,
    is_guid,
    location_of,
    made,
    tenant_of,
)
from gpucluster.sandbox.clouds.azure.models import MODELS
from gpucluster.sandbox.clouds.azure.names import refused_inputs
from gpucluster.sandbox.clouds.azure.paths import path_of
from gpucluster.sandbox.clouds.azure.rules import RULES
from gpucluster.sandbox.clouds.azure.rules.roles import cluster_may_use_its_network, service_may_read_its_container
from gpucluster.sandbox.clouds.cloud import Account, Change, Cloud, Resource, property_names
from gpucluster.sandbox.clouds.events.scenario import EXISTS
from gpucluster.sandbox.clouds.model import Modelled, changed_inputs, listed
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.limits import Limits
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType
from gpucluster.sandbox.clouds.types.validate import Failure, validate
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, plain

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
    return False if path[0] in _IN_PLACE else listed("sandbox/clouds/azure/replacements.csv", resource.token, path)


def _is_same_place(resource: Resource) -> bool:
    before, now = resource.old_inputs.get("location"), resource.inputs.get("location")
    return isinstance(before, str) and isinstance(now, str) and location_of(before) == location_of(now)


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


_LIMITS: Final = Limits("gpucluster.sandbox.clouds.azure")
_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"
"""Of programs without one, which the real provider asks the Azure CLI of the machine for."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The configuration of a provider.

    location: the default location of resources; if empty, that of their group.
    """

    subscription: str
    tenant: str = ""
    client: str = ""
    location: str = ""


class Azure(Cloud):
    """The package `azure-native`."""

    package = "azure-native"
    lasts = 0.05
    """Long enough to be interrupted, short enough to be tolerable. In a subscription it is minutes, a quarter of an
    hour for a cluster or a file system."""

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """A subscription and a tenant are GUIDs."""
        found: list[Failure] = []
        for name in ("subscriptionId", "tenantId"):
            value = config.get(name)
            if isinstance(value, str) and not is_guid(value):
                reason = f"{value!r} is not a GUID; one looks like 00000000-0000-0000-0000-000000000000"
                found.append(Failure(name, reason))
        return found

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        given = config.get("subscriptionId")
        subscription = given if isinstance(given, str) and given else _SUBSCRIPTION
        settings = Settings(
            subscription=subscription.lower(),
            tenant=str(config.get("tenantId") or tenant_of(subscription.lower())),
            client=str(config.get("clientId") or ""),
            location=str(config.get("location") or ""),
        )
        return AzureAccount(ledger, settings)


class AzureAccount(Modelled[ManagedResource]):
    """One provider instance."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        super().__init__(ledger, MODELS, RULES)
        self._settings = settings

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The subscription of the provider."""
        return self._settings.subscription

    def failures(self, resource: Resource) -> list[Failure]:
        found = validate(resource.inputs, resource.type, _LIMITS.unlisted(resource.token))
        if found:
            return found
        inputs = self.defaults(resource, b"any")
        return [*refused_inputs(replace(resource, inputs=inputs)), *_LIMITS.failures(resource.token, inputs)]

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return names.with_defaults(resource, seed, self._settings.location, self.ledger)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return replaces(resource, change)

    def name_property(self, resource: Resource) -> str:
        return path_of(resource.type).name_property

    def deletes_first(self, resource: Resource) -> bool:
        """As the provider: unless the provider chose the name.

        Source: pulumi/pulumi-azure-native provider/pkg/provider/provider.go (Diff).
        """
        return resource.old_inputs.get(names.CREATE_BEFORE_DELETE) is not True

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return previewed(resource)

    def read(self, entry: Entry) -> Entry:
        return as_read(entry, self.ledger.under(entry.id, {AGENT_POOL}))

    def delete(self, entry: Entry) -> bool:
        return deletion.delete(entry, self.ledger)

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return invokes.answer(token, args, self._settings.subscription, self._settings.tenant, self.ledger)

    def managed(self, resource: Resource, id_: str = "") -> ManagedResource:
        inputs = plain(resource.inputs)
        return ManagedResource(
            token=resource.token,
            id=id_,
            name=str(inputs.get(self.name_property(resource)) or ""),
            scope=self._settings.subscription,
            path=path_of(resource.type),
            location=location_of(inputs.get("location")),
            existed=resource.urn.startswith(f"{EXISTS}:"),
            inputs=inputs,
            previous=plain(resource.outputs),
            changed=changed_inputs(resource),
            ledger=self.ledger,
        )

    def check_effective(self, resource: Resource, ineffective: Sequence[Entry]) -> None:
        managed = self.managed(resource, self.plain_id(self.managed(resource)))
        cluster_may_use_its_network(managed, ineffective)
        service_may_read_its_container(managed, ineffective)

    def plain_id(self, managed: ManagedResource) -> str:
        return arm_id(managed)

    def plain_outputs(self, resource: Resource, managed: ManagedResource) -> Mapping[str, Any]:
        return made(managed)


SIMULATED: Final = Azure

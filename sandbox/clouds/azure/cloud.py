# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""The simulated Azure, through its provider azure-native: any number of subscriptions, groups and locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpucluster.sandbox.clouds.azure import deletion, invokes, models, names, replacements, rules
from gpucluster.sandbox.clouds.azure.identity import is_guid, location_of, tenant_of
from gpucluster.sandbox.clouds.azure.model import MODELS, ManagedResource, arm_id
from gpucluster.sandbox.clouds.azure.outputs import made
from gpucluster.sandbox.clouds.azure.paths import path_of
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL
from gpucluster.sandbox.clouds.azure.previews import previewed
from gpucluster.sandbox.clouds.azure.reading import as_read
from gpucluster.sandbox.clouds.azure.rules.inputs import refused_inputs
from gpucluster.sandbox.clouds.azure.rules.rule import RULES
from gpucluster.sandbox.clouds.cloud import Account, Cloud, CloudError, Resource
from gpucluster.sandbox.clouds.diff import Change
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.limits import Limits
from gpucluster.sandbox.clouds.model import load
from gpucluster.sandbox.clouds.modelled import Modelled, changed_inputs
from gpucluster.sandbox.clouds.scenario import EXISTS
from gpucluster.sandbox.clouds.schema import ResourceType
from gpucluster.sandbox.clouds.validate import Failure, validate
from gpucluster.sandbox.clouds.values import plain

for _package in (models, rules):
    load(_package.__path__, _package.__name__)

# After the others: importing a module registers its rules, and the first that refuses gives the answer.
from gpucluster.sandbox.clouds.azure.rules.linked_container import service_may_read_its_container  # noqa: E402
from gpucluster.sandbox.clouds.azure.rules.roles import cluster_may_use_its_network  # noqa: E402

_LIMITS: Final = Limits("gpucluster.sandbox.clouds.azure")
_NO_SUBSCRIPTION: Final = (
    "azure-native has no subscription: set `azure-native:subscriptionId` in the stack's file, or `subscription_id=` "
    "on the provider; the sandbox never asks the Azure CLI of this machine"
)


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
        subscription = config.get("subscriptionId")
        if not isinstance(subscription, str) or not subscription:
            raise CloudError(_NO_SUBSCRIPTION)
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
        super().__init__(ledger, MODELS)
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
        return replacements.replaces(resource, change)

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

    def enforce(self, managed: ManagedResource) -> None:
        RULES.enforce(managed.token, managed)

    def plain_id(self, managed: ManagedResource) -> str:
        return arm_id(managed)

    def plain_outputs(self, resource: Resource, managed: ManagedResource) -> Mapping[str, Any]:
        return made(managed)


SIMULATED: Final = Azure

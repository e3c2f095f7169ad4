"""ARM resources as models and rules see them: ids, common outputs, identities, the registries of both, and the form of
the errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds import model
from gpucluster.sandbox.clouds.azure.paths import ArmPath
from gpucluster.sandbox.clouds.cloud import BusyError, CloudError
from gpucluster.sandbox.clouds.model import Rules
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

_GUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TENANTS: Final = UUID("5a9db0c5-0a4e-4b3e-9c39-6a1d6f0f1a11")


def guid() -> str:
    """A random GUID."""
    return str(uuid4())


def is_guid(text: Any) -> bool:
    """Whether a value is a GUID in the form that ARM accepts."""
    return isinstance(text, str) and re.fullmatch(_GUID, text) is not None


def tenant_of(subscription: str) -> str:
    """The tenant of a subscription: a GUID derived from the subscription's."""
    return str(uuid5(_TENANTS, subscription))


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are of the same resource; ARM ignores case."""
    return str(one or "").rstrip("/").lower() == str(other or "").rstrip("/").lower()


def with_same_id(ledger: Ledger, id_: Any, types: Collection[str] = ()) -> Entry | None:
    """The resource with this id of these types, by default of any, in any subscription."""
    return next(iter(ledger.with_id(str(id_ or "").rstrip("/"), types)), None)


def location_of(text: Any) -> str:
    """A location in ARM's own form: `eastus` for `East US`.

    Source: pulumi/pulumi-azure-native provider/pkg/provider/diff.go (normalizedLocation).
    """
    return str(text or "").replace(" ", "").lower()


def etag() -> str:
    """A tag that changes with every write."""
    return f'W/"{guid()}"'


def made(managed: ManagedResource) -> dict[str, Any]:
    """Name, type and location of a completed resource, its creator and creation time."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    found: dict[str, Any] = {
        "name": managed.name,
        "type": managed.path.arm_type,
        "provisioningState": "Succeeded",
        "systemData": managed.keep("systemData", lambda: {"createdAt": now, "createdByType": "Application"}),
    }
    return {**found, "location": managed.location} if managed.location else found


@dataclass(frozen=True, kw_only=True)
class ManagedResource(model.ManagedResource):
    """A resource of Azure during a create or update.

    scope: its subscription.
    path: the ARM path of its type.
    location: in ARM's form; empty for resources without one.
    existed: whether it is older than any stack, by a scenario.
    """

    provider: str = "azure-native"
    path: ArmPath
    location: str
    existed: bool = False

    @property
    def subscription(self) -> str:
        """Its subscription."""
        return self.scope

    @property
    def tenant(self) -> str:
        """The tenant of its subscription."""
        return tenant_of(self.scope)

    @property
    def group(self) -> str:
        """The name of its resource group, empty if it has none."""
        return str(self.inputs.get("resourceGroupName") or "")

    def at(self, token: str, id_: Any) -> Entry | None:
        """The resource of a type with this id, in any subscription; ids ignore case."""
        return with_same_id(self.ledger, id_, {token})

    def under(self, token: str, parent: str) -> list[Entry]:
        """The other resources of a type whose id is under another's."""
        return self.others_of(self.ledger.under(parent, {token}))

    @property
    def parent(self) -> str:
        """The id of its parent: its own without type and name."""
        return self.id.rsplit("/", 2)[0]


_Outputs = Callable[[ManagedResource], Mapping[str, Any]]

MODELS: model.Models[ManagedResource] = model.Models(keeping=frozenset())
"""By type token, registered by the modules of `models/`."""


def models(token: str, *, id: Callable[[ManagedResource], str] | None = None) -> Callable[[_Outputs], _Outputs]:
    """Registers a function as the computed outputs of a type.

    id: if ARM answers with another spelling of the path.
    """
    return MODELS.register(token, id=id or arm_id)


def arm_id(managed: ManagedResource) -> str:
    """The id from its path."""
    return managed.path.id(managed.inputs, managed.scope)


IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"


def identity_of(managed: ManagedResource) -> Mapping[str, Any] | None:
    """The output `identity`; None if the resource has none.

    azure-native accepts the ids of user-assigned identities as a list, and answers with ARM's map of each id to its
    client and principal (pulumi/pulumi-azure-native provider/pkg/gen/properties.go, isStringSet).
    """
    given = mapping(managed.inputs.get("identity"))
    kind = str(given.get("type") or "None")
    if kind == "None":
        return dict(given) or None
    before = mapping(managed.previous.get("identity"))
    found: dict[str, Any] = {"type": kind}
    if "SystemAssigned" in kind:
        found |= {"principalId": before.get("principalId") or guid(), "tenantId": managed.tenant}
    if "UserAssigned" in kind:
        named = items(given.get("userAssignedIdentities"))
        found["userAssignedIdentities"] = {str(id_): _shown(managed, str(id_)) for id_ in named}
    return found


def _shown(managed: ManagedResource, id_: str) -> dict[str, Any]:
    entry = managed.at(IDENTITY, id_)
    return {name: entry.outputs.get(name) for name in ("clientId", "principalId")} if entry is not None else {}


RULES: Rules[ManagedResource] = Rules()
rule = RULES.rule


def refused(code: str, message: str, *, status: int = 400) -> CloudError:
    """An error in the provider's wording.

    Source: pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (PulumiAzcoreResponseError).
    """
    return CloudError(f'Status={status} Code="{code}" Message="{message}"')


def repeated(code: str, message: str, *, status: int, seconds: float) -> BusyError:
    """An error after which the provider retries.

    seconds: until the conflicting operation ends.
    """
    return BusyError(str(refused(code, message, status=status)), seconds)


def kept_from(managed: ManagedResource, what: str) -> CloudError:
    """Refuses a request that ARM would accept and that then does not work; the error states this.

    what: the consequence in a real subscription.
    """
    kind = managed.token.rsplit(":", 1)[-1]
    return CloudError(f'the sandbox does not make {kind} "{managed.name}", though a real subscription would: {what}')

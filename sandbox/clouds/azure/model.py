"""Common outputs of all ARM resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds import model
from gpucluster.sandbox.clouds.azure.identity import guid, tenant_of, with_same_id
from gpucluster.sandbox.clouds.azure.paths import ArmPath
from gpucluster.sandbox.clouds.store.ledger import Entry


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
        return self.beside(self.ledger.under(parent, {token}))

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

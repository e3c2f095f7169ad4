"""Requests that must wait for another operation.

Sources: Azure/AKS #4522 (pools of one network); hashicorp/terraform-provider-azurerm #30197
(ReferencedResourceNotProvisioned, with status 429 in hashicorp/terraform #7986); Azure/azure-cli #21121
(ResourceGroupBeingDeleted); `azure/rules/idle.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.identity import same_id, with_same_id
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL
from gpucluster.sandbox.clouds.azure.rules.idle import check_idle
from gpucluster.sandbox.clouds.azure.rules.rule import refused, repeated, rule
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

_GROUP: Final = "azure-native:resources:ResourceGroup"
_NETWORK: Final = "azure-native:network:"
_SUBNET: Final = f"{_NETWORK}Subnet"
_REFERENCES: Final = {
    _SUBNET: ("natGateway", "networkSecurityGroup", "routeTable"),
    f"{_NETWORK}NatGateway": ("publicIpAddresses",),
}
_NAMED: Final = {
    f"{_NETWORK}{kind}" for kind in ("NatGateway", "NetworkSecurityGroup", "PublicIPAddress", "RouteTable")
}


@rule("*")
def group_is_not_going(managed: ManagedResource) -> None:
    """No resource is created or changed in a group that is being deleted."""
    id_ = f"/subscriptions/{managed.subscription}/resourceGroups/{managed.group}"
    group = managed.at(_GROUP, id_) if managed.group else None
    if group is not None and group.operation is not None and managed.token != _GROUP:
        message = f"The resource group '{managed.group}' is in deprovisioning state and cannot perform this operation."
        raise refused("ResourceGroupBeingDeleted", message, status=409)


@rule("*")
def one_thing_after_another(managed: ManagedResource) -> None:
    """One operation at a time on a resource and on its parent."""
    check_idle(managed.token, managed.id, managed.ledger)


@rule(*_REFERENCES)
def what_is_named_is_ready(managed: ManagedResource) -> None:
    """Networks refuse references to unfinished resources."""
    for name in _REFERENCES[managed.token]:
        value = managed.inputs.get(name)
        for given in items(value) or [value]:
            entry = _named(mapping(given).get("id"), managed.ledger)
            if entry is not None and entry.operation is not None:
                kind = entry.type.rsplit(":", 1)[-1]
                message = (
                    f"Cannot proceed with operation because resource {entry.id} used by resource {managed.id} is not "
                    f"in Succeeded state. Resource is in {entry.operation.state} state and the last operation that "
                    f"updated/is updating the resource is Put{kind}Operation."
                )
                raise repeated("ReferencedResourceNotProvisioned", message, status=429, seconds=entry.operation.left)


@rule(AGENT_POOL)
def pools_of_a_network_are_made_one_after_the_other(managed: ManagedResource) -> None:
    """AKS locks the network for one pool at a time."""
    network = _network_of(managed.inputs)
    if not network or managed.previous:
        return
    for entry in managed.ledger.in_progress({AGENT_POOL}):
        making = entry.operation is not None and not entry.operation.removes
        if making and same_id(_network_of(entry.inputs), network) and not same_id(entry.id, managed.id):
            message = (
                f"Set virtual network ownership failed. Code=VirtualNetworkNotInSucceededState: Virtual network "
                f"{network} is in Updating state. It needs to be in Succeeded state in order to set resource ownership."
            )
            raise refused("SetVNetOwnershipFailed", message)


def _network_of(pool: Mapping[str, Any]) -> str:
    return str(pool.get("vnetSubnetID") or "").rpartition("/subnets/")[0]


def _named(id_: object, ledger: Ledger) -> Entry | None:
    return with_same_id(ledger, id_, _NAMED)

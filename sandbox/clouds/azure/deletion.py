"""Operations in progress, ARM's refusals of a deletion, and resources deleted together with another.

Requests that the provider repeats automatically (Microsoft.Network's conflicts) are accepted after the other operation;
it does not repeat those of AKS. Pools of one cluster are created in parallel, unless in one network. Sources:
pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (shouldRetryConflict and the codes beside it);
Azure/bicep #5132 (AnotherOperationInProgress); cilium/cilium #25944 and Azure/azure-workload-identity #417 (AKS);
kubernetes-sigs/cluster-api-provider-azure #1205 (pools while the cluster is made, the cluster while pools are made).

Sources: Azure Resource Manager documentation, "Delete resource groups" (deletes all resources in a group);
hashicorp/terraform-provider-azurerm #400 and DataBiosphere/terra-workspace-manager PR 502 for the text about networks;
MicrosoftDocs/azure-aks-docs use-system-pools.md; Azure Compute API, capacity reservation groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.azure.model import refused, repeated, same_id, with_same_id
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger, Operation

_NETWORK: Final = "azure-native:network:"
_VNET: Final = f"{_NETWORK}VirtualNetwork"
_SUBNET: Final = f"{_NETWORK}Subnet"
_WHOLES: Final = {AGENT_POOL: CLUSTER, _SUBNET: _VNET}


def check_idle(token: str, id_: str, ledger: Ledger, *, deleting: bool = False) -> None:
    """Raises CloudError if an operation is in progress; a second deletion during a deletion is no conflict."""
    for entry in _concerned(token, id_, ledger):
        operation = entry.operation
        going = deleting and operation is not None and operation.removes and same_id(entry.id, id_)
        if operation is not None and not going:
            raise _conflict(entry, operation, token)


def _concerned(token: str, id_: str, ledger: Ledger) -> Iterator[Entry]:
    """The resource itself, its parent, and parts that count as the parent."""
    parent = id_.rsplit("/", 2)[0]
    for entry in ledger.in_progress({token, *_WHOLES, *_WHOLES.values()}):
        itself = entry.type == token and same_id(entry.id, id_)
        whole = _WHOLES.get(token) == entry.type and same_id(entry.id, parent)
        part = _WHOLES.get(entry.type) == token and entry.id.lower().startswith(f"{id_.lower()}/")
        # A network is written as a whole: its subnets one by one.
        sister = token == _SUBNET == entry.type and same_id(entry.id.rsplit("/", 2)[0], parent)
        if itself or whole or part or sister:
            yield entry


def _conflict(entry: Entry, operation: Operation, token: str) -> CloudError:
    if token.startswith(_NETWORK):
        message = "Another operation on this or dependent resource is in progress."
        return repeated("AnotherOperationInProgress", message, status=409, seconds=operation.left)
    if token in (CLUSTER, AGENT_POOL):
        what = (
            f"operation ({operation.state})"
            if entry.type == CLUSTER
            else f"agentpool operation ({entry.name} - {operation.state})"
        )
        message = (
            f"Operation is not allowed: Another {what} is in progress, please wait for it to finish before starting a "
            "new operation. See https://aka.ms/aks-pending-operation for more details"
        )
        return refused("OperationNotAllowed", message, status=409)
    # The code of other services is unknown here; ARM's rule is that a second operation is a conflict.
    return refused("Conflict", f"'{entry.name}' is in state {operation.state}; wait for its end", status=409)


_DELETION_SUBNET: Final = "azure-native:network:Subnet"
_LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"


def delete(entry: Entry, ledger: Ledger) -> bool:
    """Whether the resource is deleted afterwards; raises CloudError if ARM refuses."""
    check_idle(entry.type, entry.id, ledger, deleting=True)
    _check_users(entry, ledger)
    _check_system_pool(entry, ledger)
    for other in _under(entry, ledger):
        _check_users(other, ledger, but=entry)
    for other in _under(entry, ledger):
        _take_along(other, ledger)
        ledger.remove(other.provider, other.scope, other.type, other.id)
    _take_along(entry, ledger)
    return True


def _under(entry: Entry, ledger: Ledger) -> list[Entry]:
    """The parts of a resource, or all resources in a group."""
    return [other for other in ledger.under(entry.id) if other.provider == entry.provider]


def _take_along(entry: Entry, ledger: Ledger) -> None:
    """Deletes a cluster's objects."""
    for server in api_servers(entry):
        ledger.remove_scope(server)


def _check_users(entry: Entry, ledger: Ledger, but: Entry | None = None) -> None:
    """Refuses the deletion of a resource in use; users that are deleted with `but` do not count."""
    for token, (uses, code, message) in _USERS.get(entry.type, {}).items():
        for other in [*ledger.mentioning({token}, entry.id), *ledger.under(entry.id, {token})]:
            inside = but is not None and other.id.lower().startswith(f"{but.id.lower()}/")
            if not inside and any(same_id(id_, entry.id) for id_ in uses(other)):
                raise refused(code, message.format(name=entry.name, id=entry.id, user=other.id))


def _check_system_pool(entry: Entry, ledger: Ledger) -> None:
    if entry.type != AGENT_POOL or entry.inputs.get("mode") != "System":
        return
    parent = entry.id.rsplit("/", 2)[0]
    inline = with_same_id(ledger, parent, {CLUSTER})
    pools = [mapping(pool) for pool in items(inline.inputs.get("agentPoolProfiles"))] if inline is not None else []
    pools += [
        it.inputs
        for it in ledger.under(parent, {AGENT_POOL})
        if it.id != entry.id and same_id(parent, it.id.rsplit("/", 2)[0])
    ]
    if inline is not None and not any(pool.get("mode") == "System" for pool in pools):
        message = f"The last system agent pool '{entry.name}' cannot be deleted; a cluster needs one."
        raise refused("OperationNotAllowed", message)


def _subnets(entry: Entry) -> Iterator[object]:
    """The subnets of a resource."""
    yield entry.inputs.get("filesystemSubnet")
    for pool in [entry.inputs, *(mapping(item) for item in items(entry.inputs.get("agentPoolProfiles")))]:
        yield pool.get("vnetSubnetID")
        yield pool.get("podSubnetID")


def _named(name: str) -> Callable[[Entry], Iterator[object]]:
    """The references in an input: an id, an object with one, or a list of such objects."""

    def uses(entry: Entry) -> Iterator[object]:
        value = entry.inputs.get(name)
        yield value if isinstance(value, str) else mapping(value).get("id")
        yield from (mapping(item).get("id") for item in items(value))

    return uses


def _parent(entry: Entry) -> Iterator[object]:
    yield entry.id.rsplit("/", 2)[0]


_Use = tuple[Callable[[Entry], Iterator[object]], str, str]

_SUBNET_IN_USE: Final[_Use] = (
    _subnets,
    "InUseSubnetCannotBeDeleted",
    "Subnet {name} is in use by {user} and cannot be deleted. In order to delete the subnet, delete all the resources "
    "within the subnet. See aka.ms/deletesubnet.",
)
_USERS: Final[Mapping[str, Mapping[str, _Use]]] = {
    _DELETION_SUBNET: dict.fromkeys((CLUSTER, AGENT_POOL, _LUSTRE), _SUBNET_IN_USE),
    "azure-native:network:NetworkSecurityGroup": {
        _DELETION_SUBNET: (
            _named("networkSecurityGroup"),
            "InUseNetworkSecurityGroupCannotBeDeleted",
            "Network security group {id} cannot be deleted because it is in use by the following resources: {user}. In "
            "order to delete the Network security group, remove the association with the resource(s).",
        )
    },
    "azure-native:network:NatGateway": {
        _DELETION_SUBNET: (
            _named("natGateway"),
            "InUseNatGatewayCannotBeDeleted",
            "Nat Gateway {id} cannot be deleted because it is in use by the following resources: {user}.",
        )
    },
    "azure-native:network:PublicIPAddress": {
        "azure-native:network:NatGateway": (
            _named("publicIpAddresses"),
            "PublicIPAddressCannotBeDeleted",
            "Public IP address {id} can not be deleted since it is still allocated to resource {user}.",
        )
    },
    "azure-native:compute:ProximityPlacementGroup": {
        AGENT_POOL: (
            _named("proximityPlacementGroupID"),
            "OperationNotAllowed",
            "Proximity placement group {name} cannot be deleted: {user} is in it.",
        )
    },
    "azure-native:compute:CapacityReservationGroup": {
        "azure-native:compute:CapacityReservation": (
            _parent,
            "OperationNotAllowed",
            "Capacity reservation group {name} cannot be deleted: it has the reservation {user}.",
        )
    },
}

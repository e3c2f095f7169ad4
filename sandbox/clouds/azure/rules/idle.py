"""Whether an operation on a resource or its parent is in progress, and the answer to another request.

Requests that the provider repeats automatically (Microsoft.Network's conflicts) are accepted after the other operation;
it does not repeat those of AKS. Pools of one cluster are created in parallel, unless in one network. Sources:
pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (shouldRetryConflict and the codes beside it);
Azure/bicep #5132 (AnotherOperationInProgress); cilium/cilium #25944 and Azure/azure-workload-identity #417 (AKS);
kubernetes-sigs/cluster-api-provider-azure #1205 (pools while the cluster is made, the cluster while pools are made).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.sandbox.clouds.azure.identity import same_id
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.azure.rules.rule import refused, repeated
from gpucluster.sandbox.clouds.cloud import CloudError
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

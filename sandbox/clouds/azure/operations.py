"""What ARM accepts and then goes on doing: which resources, under which name, and for how long.

The caller polls; the operation does not depend on it. Sources: Azure/azure-rest-api-specs, the requests marked
`x-ms-long-running-operation` in containerservice, network, storagecache, storage, compute, resources, dashboard and
kubernetesconfiguration, and the values of their `provisioningState`; Microsoft.Network calls the creation of most
things Updating, and so says its error about them (hashicorp/terraform-provider-azurerm #30197).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gpucluster.sandbox.clouds.cloud import Act
from gpucluster.sandbox.clouds.ledger import Entry, Operation
from gpucluster.sandbox.clouds.scenario import Scenario

__all__ = ["LASTING", "begun"]

_SECONDS: Final = 0.05
"""How long an operation lasts where no scenario says otherwise: long enough to be cut off, short enough to be borne.
In a subscription it is minutes, a quarter of an hour for a cluster or a file system."""

_PLAIN: Final = {Act.CREATE: "Creating", Act.UPDATE: "Updating", Act.DELETE: "Deleting"}
_NETWORK: Final = {**_PLAIN, Act.CREATE: "Updating"}
_DELETED: Final = {Act.DELETE: "Deleting"}

_STATES: Final[Mapping[str, Mapping[Act, str]]] = {
    **dict.fromkeys(
        (
            "azure-native:compute:CapacityReservation",
            "azure-native:containerservice:AgentPool",
            "azure-native:containerservice:ManagedCluster",
            "azure-native:dashboard:Grafana",
            "azure-native:kubernetesconfiguration:Extension",
            "azure-native:storage:StorageAccount",
            "azure-native:storagecache:AmlFilesystem",
            "azure-native:storagecache:AutoExportJob",
            "azure-native:storagecache:AutoImportJob",
            "azure-native:storagecache:ImportJob",
        ),
        _PLAIN,
    ),
    **dict.fromkeys(
        (
            "azure-native:network:NatGateway",
            "azure-native:network:NetworkSecurityGroup",
            "azure-native:network:PublicIPAddress",
            "azure-native:network:RouteTable",
            "azure-native:network:SecurityRule",
            "azure-native:network:Subnet",
            "azure-native:network:VirtualNetwork",
        ),
        _NETWORK,
    ),
    "azure-native:resources:ResourceGroup": _DELETED,
}

LASTING: Final = frozenset(_STATES)
"""The types with requests that ARM answers before they are done."""


def begun(entry: Entry, act: Act, scenario: Scenario) -> Entry:
    """The thing with its operation, where this request is one that ARM answers before it is done."""
    state = _STATES.get(entry.type, {}).get(act)
    if state is None:
        return entry
    wish = scenario.operation(entry.type, entry.name)
    error = wish.error if wish is not None and act is not Act.DELETE else ""
    seconds = wish.seconds if wish is not None and wish.seconds is not None else _SECONDS
    operation = Operation(
        state=state,
        ends=time.time() + seconds,
        then=_with_state(entry, "Failed" if error else "Succeeded"),
        removes=act is Act.DELETE,
        error=error,
    )
    return replace(entry, outputs={**entry.outputs, **_with_state(entry, state)}, operation=operation)


def _with_state(entry: Entry, state: str) -> dict[str, object]:
    """The outputs that say so; some types keep it among their properties."""
    return {"provisioningState": state} if "provisioningState" in entry.outputs else {}

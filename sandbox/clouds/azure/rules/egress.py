"""What a cluster's outbound type needs of the subnet of its nodes.

Sources: azure-aks-docs fb060abe6, egress-outboundtype.md and egress-udr.md; hashicorp/terraform-provider-azurerm #8609
(RouteTableInvalidNextHop) and Azure/AKS #1842 (a default route is needed); error codes of AKS' resource provider, of
which SubnetNotAssociatedWithNATGateway and RouteTableMissingDefaultRouteError are known without their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.identity import with_same_id
from gpucluster.sandbox.clouds.azure.pools import CLUSTER, Pool
from gpucluster.sandbox.clouds.azure.rules.pool import pool_rule
from gpucluster.sandbox.clouds.azure.rules.rule import refused
from gpucluster.sandbox.clouds.store.ledger import Entry

_SUBNET: Final = "azure-native:network:Subnet"
_TABLE: Final = "azure-native:network:RouteTable"
_ROUTE: Final = "azure-native:network:Route"
_HOPS: Final = ("VirtualAppliance", "VirtualNetworkGateway")


@pool_rule
def nodes_have_a_way_out(pool: Pool) -> None:
    """A NAT gateway on the subnet, or a route table whose default route ends at an appliance or gateway."""
    subnet = pool.managed.at(_SUBNET, pool.given.get("vnetSubnetID"))
    if subnet is None or pool.managed.token != CLUSTER:
        return
    kind = mapping(pool.cluster.get("networkProfile")).get("outboundType")
    if kind == "userAssignedNATGateway" and not mapping(subnet.inputs.get("natGateway")).get("id"):
        message = f"Subnet {subnet.id} is not associated with a NAT gateway, which outbound type {kind} needs."
        raise refused("SubnetNotAssociatedWithNATGateway", message)
    if kind == "userDefinedRouting":
        _check_routes(pool, subnet)


def _check_routes(pool: Pool, subnet: Entry) -> None:
    id_ = mapping(subnet.inputs.get("routeTable")).get("id")
    if not id_:
        message = (
            f"An existing route table has not been associated with subnet {subnet.id}. Please update the route table "
            "association"
        )
        raise refused("ExistingRouteTableNotAssociatedWithSubnet", message)
    table = with_same_id(pool.managed.ledger, id_, {_TABLE})
    if table is None:
        return
    defaults = [route for route in _routes(pool, table) if route.get("addressPrefix") == "0.0.0.0/0"]
    if not defaults:
        message = f"Route table {table.id} has no route for 0.0.0.0/0, which outbound type userDefinedRouting needs."
        raise refused("RouteTableMissingDefaultRouteError", message)
    hop = defaults[0].get("nextHopType")
    if hop not in _HOPS:
        message = (
            f"Default route 0.0.0.0/0 has a next hop of {hop} but only next hops of {' or '.join(_HOPS)} are allowed. "
            "Please see http://aka.ms/aks/outboundtype for more details"
        )
        raise refused("RouteTableInvalidNextHop", message)


def _routes(pool: Pool, table: Entry) -> Iterator[Mapping[str, Any]]:
    """Those of the table, and those that are separate resources."""
    yield from map(mapping, items(table.inputs.get("routes")))
    yield from (entry.inputs for entry in pool.managed.ledger.under(table.id, {_ROUTE}))

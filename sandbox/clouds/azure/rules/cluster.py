"""AKS clusters: system pools, networks, outbound types, identities and node auto provisioning.

Sources: MicrosoftDocs/azure-aks-docs use-system-pools.md, azure-cni-overlay.md, azure-cni-powered-by-cilium.md,
configure-azure-cni.md, node-auto-provisioning.md, node-auto-provisioning-networking.md; Azure/AKS #4759 (the text of
node auto provisioning) and #3551 (those of overlapping services); pulumi-azure-native 3.29.0,
ManagedClusterNodeProvisioningProfileArgs (no autoscaling beside Auto); pulumi/pulumi-azure-native #2719 (new inline
pools); azure-aks-docs fb060abe6, concepts-network-cni-overview.md, and Azure/AKS CHANGELOG.md, 2026-05-29 (reserved
ranges; the wording is the sandbox's).

Sources: azure-aks-docs fb060abe6, egress-outboundtype.md and egress-udr.md; hashicorp/terraform-provider-azurerm #8609
(RouteTableInvalidNextHop) and Azure/AKS #1842 (a default route is needed); error codes of AKS' resource provider, of
which SubnetNotAssociatedWithNATGateway and RouteTableMissingDefaultRouteError are known without their text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_address
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.address_ranges import first_overlap, ipv4_range
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL, CLUSTER, Pool, pools_of
from gpucluster.sandbox.clouds.azure.model import IDENTITY, ManagedResource, refused, rule, with_same_id
from gpucluster.sandbox.clouds.azure.networks import ranges_of_subnet
from gpucluster.sandbox.clouds.azure.rules.pool import pool_rule
from gpucluster.sandbox.clouds.store.ledger import Entry

_SUBNET: Final = "azure-native:network:Subnet"
_SERVICES: Final = "10.0.0.0/16"
"""Default range of services (AKS documentation, "Configure Azure CNI")."""
_DNS: Final = "10.0.0.10"
_RESERVED: Final = [IPv4Network(text) for text in ("169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24")]


def _network(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(inputs.get("networkProfile"))


@rule(CLUSTER)
def system_pool_is_there(managed: ManagedResource) -> None:
    """Every cluster has a pool for its system pods."""
    if not any(pool.is_system for pool in pools_of(managed)) and not (managed.previous and _others_are_system(managed)):
        message = "There has to be at least one system agent pool (mode System) in agentPoolProfiles."
        raise refused("InvalidParameter", message)


def _others_are_system(managed: ManagedResource) -> bool:
    return any(entry.inputs.get("mode") == "System" for entry in managed.under(AGENT_POOL, managed.id))


@rule(CLUSTER)
def pools_are_added_as_resources(managed: ManagedResource) -> None:
    """An existing cluster accepts no new inline pool."""
    before = {mapping(pool).get("name") for pool in items(managed.previous.get("agentPoolProfiles"))}
    for pool in pools_of(managed):
        if managed.previous and pool.name not in before:
            message = (
                f"A new agent pool was introduced. Adding agent pools to an existing cluster is not allowed through "
                f"managed cluster operations. For agent pool specific change, please use per agent pool operations: "
                f"{pool.name}"
            )
            raise refused("BadRequest", message)


@rule(CLUSTER)
def identity_exists(managed: ManagedResource) -> None:
    """A user-assigned identity exists, exactly one for the control plane."""
    identity = mapping(managed.inputs.get("identity"))
    named = [str(id_) for id_ in items(identity.get("userAssignedIdentities"))]
    if identity.get("type") == "UserAssigned" and len(named) != 1:
        message = f"A cluster takes one user-assigned identity, not {len(named)}."
        raise refused("InvalidParameter", message)
    for id_ in named:
        if managed.at(IDENTITY, id_) is None:
            message = f"The user assigned identity '{id_}' was not found."
            raise refused("UserAssignedIdentityNotFound", message)


@rule(CLUSTER)
def network_parts_fit_together(managed: ManagedResource) -> None:
    """Overlay and Cilium require Azure CNI, and Cilium's policies its own data plane."""
    network = _network(managed.inputs)
    plugin, mode = network.get("networkPlugin") or "azure", network.get("networkPluginMode")
    if mode == "overlay" and plugin != "azure":
        message = f"networkPluginMode overlay is only for networkPlugin azure, not {plugin}"
        raise refused("InvalidParameter", message)
    is_cilium = network.get("networkDataplane") == "cilium"
    if is_cilium and plugin != "azure":
        message = f"networkDataplane cilium is only for networkPlugin azure, not {plugin}"
        raise refused("InvalidParameter", message)
    if is_cilium and network.get("networkPolicy") not in (None, "none", "cilium"):
        message = f"networkDataplane cilium takes networkPolicy cilium, not {network.get('networkPolicy')}"
        raise refused("InvalidParameter", message)
    if network.get("networkPolicy") == "cilium" and not is_cilium:
        raise refused("InvalidParameter", "networkPolicy cilium needs networkDataplane cilium")


@rule(CLUSTER)
def services_have_a_separate_range(managed: ManagedResource) -> None:
    """The DNS service is inside the range, not its first address, and no subnet of the nodes' network overlaps it."""
    network = _network(managed.inputs)
    services = ipv4_range(network.get("serviceCidr") or _SERVICES)
    if services is None:
        raise _no_range("serviceCidr", network.get("serviceCidr"))
    dns = str(network.get("dnsServiceIP") or _DNS)
    if not _is_inside(dns, services):
        message = (
            f"The specified DNS service IP {dns} is not within the service CIDR {services}, or is its first address."
        )
        raise refused("InvalidDNSServiceIP", message)
    found = first_overlap(
        [services], [block for subnet in _subnets(managed) for block in ranges_of_subnet(subnet.inputs)]
    )
    if found:
        message = f"The specified service CIDR {services} is conflicted with an existing subnet CIDR {found[1]}"
        raise refused("ServiceCidrOverlapExistingSubnetsCidr", message)


def _is_inside(address: str, block: IPv4Network) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found in block and found not in (block[0], block[1])


@rule(CLUSTER)
def pods_have_a_separate_range(managed: ManagedResource) -> None:
    """In an overlay the pods overlap neither the subnets of the network nor the services."""
    network = _network(managed.inputs)
    if not network.get("podCidr"):
        return
    pods = ipv4_range(network["podCidr"])
    if pods is None:
        raise _no_range("podCidr", network["podCidr"])
    services = ipv4_range(network.get("serviceCidr") or _SERVICES)
    blocks = [block for subnet in _subnets(managed) for block in ranges_of_subnet(subnet.inputs)]
    found = first_overlap([pods], [*blocks, *([services] if services else [])])
    if found:
        message = (
            f"The specified pod CIDR {pods} overlaps {found[1]}, a subnet of the cluster's network or its services"
        )
        raise refused("InvalidParameter", message)


@rule(CLUSTER)
def no_range_is_reserved(managed: ManagedResource) -> None:
    """Pods, services and the network of the nodes avoid the ranges of AKS; a cluster keeps pods that it has."""
    network = _network(managed.inputs)
    given = {
        "service CIDR": [found] if (found := ipv4_range(network.get("serviceCidr"))) else [],
        "pod CIDR": [found] if (found := ipv4_range(network.get("podCidr"))) else [],
        "virtual network": [block for subnet in _subnets(managed) for block in ranges_of_subnet(subnet.inputs)],
    }
    for name, blocks in given.items():
        found = None if managed.previous else first_overlap(blocks, _RESERVED)
        if found:
            message = f"The specified {name} {found[0]} overlaps {found[1]}, which is reserved for AKS."
            raise refused("InvalidParameter", message)


def _no_range(name: str, value: Any) -> Exception:
    return refused("InvalidParameter", f"networkProfile.{name} '{value}' is not an address range")


def _subnets(managed: ManagedResource) -> list[Entry]:
    """Every subnet of the networks of the cluster's inline pools."""
    networks = {str(pool.given.get("vnetSubnetID") or "").lower().split("/subnets/")[0] for pool in pools_of(managed)}
    return [entry for network in networks for entry in managed.ledger.under(network, {_SUBNET})]


@pool_rule
def subnet_exists(pool: Pool) -> None:
    """The subnet of the nodes exists."""
    for name in ("vnetSubnetID", "podSubnetID"):
        id_ = pool.given.get(name)
        if id_ and pool.managed.at(_SUBNET, id_) is None:
            raise refused("SubnetNotFound", f"agent pool '{pool.name}': the subnet '{id_}' was not found", status=404)


def _is_auto(cluster: Mapping[str, Any]) -> bool:
    return mapping(cluster.get("nodeProvisioningProfile")).get("mode") == "Auto"


@rule(CLUSTER)
def auto_provisioning_has_its_network(managed: ManagedResource) -> None:
    """Node auto provisioning runs without Calico, kubenet, IPv6 and basic load balancers."""
    if not _is_auto(managed.inputs):
        return
    network = _network(managed.inputs)
    wrong = {
        "networkPlugin": (network.get("networkPlugin") in (None, "azure", "none"), "azure, none"),
        "networkPolicy": (network.get("networkPolicy") != "calico", "azure, cilium, none"),
        "ipFamilies": (items(network.get("ipFamilies")) in ([], ["IPv4"]), "IPv4"),
        "loadBalancerSku": (str(network.get("loadBalancerSku") or "standard").lower() == "standard", "standard"),
    }
    for name, (fits, allowed) in wrong.items():
        if not fits:
            message = (
                ".properties.nodeProvisioningProfile.mode cannot be Auto unless "
                f".properties.networkProfile.{name} is set to one of [{allowed}]."
            )
            raise refused("OperationNotAllowed", message)


@pool_rule
def auto_provisioning_has_no_rival(pool: Pool) -> None:
    """With node auto provisioning, no pool uses the cluster autoscaler, or gets its own addresses for pods."""
    if pool.given.get("podSubnetID") and _is_auto(pool.cluster):
        message = f"agent pool '{pool.name}': podSubnetID cannot be set while nodeProvisioningProfile.mode is Auto"
        raise refused("OperationNotAllowed", message)
    if pool.scales and _is_auto(pool.cluster):
        message = (
            f"agent pool '{pool.name}': enableAutoScaling cannot be true while nodeProvisioningProfile.mode is Auto"
        )
        raise refused("OperationNotAllowed", message)


@rule(CLUSTER)
def auto_provisioning_finds_no_rival(managed: ManagedResource) -> None:
    """Nor is it enabled while a pool does."""
    scaling = [entry.name for entry in managed.under(AGENT_POOL, managed.id) if entry.inputs.get("enableAutoScaling")]
    if managed.previous and _is_auto(managed.inputs) and scaling:
        message = f"nodeProvisioningProfile.mode cannot be Auto while agent pool '{scaling[0]}' has enableAutoScaling"
        raise refused("OperationNotAllowed", message)


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

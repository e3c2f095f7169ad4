"""Peering of the cluster's network with a network of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pulumi
import pulumi_azure_native as azure
from pulumi_azure_native import network

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.network_plan import NETWORK, AddressPlan, subscription_of
from gpucluster.components.spec.existing import ExistingNetwork


def peerings(
    name: str,
    vnet: network.VirtualNetwork,
    group: pulumi.Input[str],
    peer: str,
    *,
    subscription: str,
    gateway: bool,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Both directions; Azure connects nothing without both. peer: id of the user's network. subscription: the
    cluster's. gateway: networks behind the gateway of the user's network reach the cluster's. after: earlier changes of
    the cluster's network, because a network accepts one change at a time.

    Source: Azure documentation, "Create, change, or delete a virtual network peering".
    """
    found = re.fullmatch(NETWORK, peer)
    assert found is not None
    peer_options = opts
    if subscription_of(peer) != subscription:
        peer_provider = azure.Provider(f"{name}-subscription", subscription_id=subscription_of(peer), opts=opts)
        peer_options = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(provider=peer_provider))
    # First, and always with its permission: ARM refuses the other as long as this one does not permit the gateway.
    from_peer = network.VirtualNetworkPeering(
        f"{name}-back",
        # In the user's network, which other clusters use as well. Older stacks have a name without their network's.
        virtual_network_peering_name=vnet.name,
        resource_group_name=found["group"],
        virtual_network_name=found["name"],
        remote_virtual_network=network.SubResourceArgs(id=vnet.id),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        allow_gateway_transit=True,
        opts=pulumi.ResourceOptions.merge(
            peer_options,
            pulumi.ResourceOptions(depends_on=list(after), ignore_changes=["virtualNetworkPeeringName"]),
        ),
    )
    to_peer = network.VirtualNetworkPeering(
        f"{name}-there",
        resource_group_name=group,
        virtual_network_name=vnet.name,
        remote_virtual_network=network.SubResourceArgs(id=peer),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        use_remote_gateways=gateway or None,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[from_peer])),
    )
    return [from_peer, to_peer]


# Lustre, among file servers and clients, both ways. Source: Azure Managed Lustre documentation, "Prerequisites".
_LUSTRE_PORTS = ("988", "1019-1023")


class Network(pulumi.ComponentResource):
    """Outputs: network_id, nodes_id and lustre_id (subnets). egress_ip: the nodes' address on the internet; None in the
    user's network.
    """

    network_id: pulumi.Output[str]
    nodes_id: pulumi.Output[str]
    lustre_id: pulumi.Output[str]
    egress_ip: pulumi.Output[str] | None
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: AddressPlan,
        location: Location,
        *,
        group: pulumi.Input[str],
        linked: bool = False,
        peer: str | None = None,
        peer_gateway: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """linked: the file servers read a container. peer: id of the user's network that reaches the cluster.
        peer_gateway: so do networks behind its gateway.

        Nodes reach Azure Storage by a service endpoint, which costs nothing: an account can admit only this network,
        and the gateway bills nothing that jobs read.
        """
        super().__init__("gpucluster:azure:Network", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        if plan.existing is not None:
            self._use_existing(plan.existing)
            return
        address, nat = _nat(name, group, location.zones, here)
        vnet = network.VirtualNetwork(
            f"{name}-vnet",
            resource_group_name=group,
            address_space=network.AddressSpaceArgs(address_prefixes=[plan.network]),
            # The API lists all subnets in it; they are declared separately.
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["subnets"]),
        )
        rules = network.NetworkSecurityGroup(
            f"{name}-lustre-rules",
            resource_group_name=group,
            security_rules=_lustre_rules([plan.nodes, plan.lustre]),
            opts=here,
        )
        nodes = network.Subnet(
            f"{name}-nodes",
            resource_group_name=group,
            virtual_network_name=vnet.name,
            address_prefix=plan.nodes,
            nat_gateway=network.SubResourceArgs(id=nat.id),
            default_outbound_access=False,
            service_endpoints=_storage_endpoint(),
            opts=here,
        )
        lustre = network.Subnet(
            f"{name}-lustre",
            resource_group_name=group,
            virtual_network_name=vnet.name,
            address_prefix=plan.lustre,
            nat_gateway=network.SubResourceArgs(id=nat.id),
            default_outbound_access=False,
            network_security_group=network.NetworkSecurityGroupArgs(id=rules.id),
            service_endpoints=_storage_endpoint() if linked else None,
            # A network accepts one change at a time.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes]),
        )
        self.network_id, self.nodes_id, self.lustre_id = vnet.id, nodes.id, lustre.id
        self.egress_ip = address.ip_address.apply(lambda ip: ip or "")
        self.ready = [nodes, lustre]
        if peer is not None:
            self.ready += peerings(
                f"{name}-peer",
                vnet,
                group,
                peer,
                subscription=location.subscription,
                gateway=peer_gateway,
                after=[lustre],
                opts=here,
            )
        self._set_outputs()

    def _use_existing(self, existing: ExistingNetwork) -> None:
        """The user's existing network; the stack manages no part of it."""
        self.network_id, self.nodes_id = map(pulumi.Output.from_input, (existing.id, existing.nodes))
        self.lustre_id = pulumi.Output.from_input(existing.storage or "")
        self.egress_ip, self.ready = None, []
        self._set_outputs()

    def _set_outputs(self) -> None:
        self.register_outputs({"networkId": self.network_id, "nodesId": self.nodes_id, "lustreId": self.lustre_id})


def _storage_endpoint() -> list[network.ServiceEndpointPropertiesFormatArgs]:
    return [network.ServiceEndpointPropertiesFormatArgs(service="Microsoft.Storage")]


def _nat(
    name: str, group: pulumi.Input[str], zones: list[str] | None, opts: pulumi.ResourceOptions
) -> tuple[network.PublicIPAddress, network.NatGateway]:
    """A NAT gateway and its address."""
    address = network.PublicIPAddress(
        f"{name}-nat-address",
        resource_group_name=group,
        sku=network.PublicIPAddressSkuArgs(name="Standard"),
        public_ip_allocation_method="Static",
        zones=zones,
        opts=opts,
    )
    nat = network.NatGateway(
        f"{name}-nat",
        resource_group_name=group,
        sku=network.NatGatewaySkuArgs(name="Standard"),
        public_ip_addresses=[network.SubResourceArgs(id=address.id)],
        zones=zones,
        opts=opts,
    )
    return address, nat


def _lustre_rules(ranges: Sequence[str]) -> list[network.SecurityRuleArgs]:
    """Lustre both ways, and the service's own calls to Azure; the default rules apply to all other traffic."""
    lustre = [
        network.SecurityRuleArgs(
            name=f"lustre-{direction.lower()}",
            priority=100,
            direction=direction,
            access="Allow",
            protocol="Tcp",
            source_address_prefixes=list(ranges),
            source_port_range="*",
            destination_address_prefixes=list(ranges),
            destination_port_ranges=list(_LUSTRE_PORTS),
        )
        for direction in ("Inbound", "Outbound")
    ]
    return [
        *lustre,
        network.SecurityRuleArgs(
            name="azure-outbound",
            priority=110,
            direction="Outbound",
            access="Allow",
            protocol="Tcp",
            source_address_prefix="*",
            source_port_range="*",
            destination_address_prefix="AzureCloud",
            destination_port_range="443",
        ),
    ]

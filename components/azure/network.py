"""The network: a subnet each for nodes and file servers, outside of InfiniBand's range, and one NAT gateway."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_azure_native import network

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.network_plan import AddressPlan
from gpucluster.components.azure.peering import peerings
from gpucluster.components.spec.existing import ExistingNetwork

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
            self._use(plan.existing)
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
        self._give()

    def _use(self, existing: ExistingNetwork) -> None:
        """The user's existing network; the stack manages no part of it."""
        self.network_id, self.nodes_id = map(pulumi.Output.from_input, (existing.id, existing.nodes))
        self.lustre_id = pulumi.Output.from_input(existing.storage or "")
        self.egress_ip, self.ready = None, []
        self._give()

    def _give(self) -> None:
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

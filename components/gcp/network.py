"""The networks: the cluster's own, with optional NAT, and those of the GPU fabric."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import servicenetworking

from gpucluster.components.gcp import compute
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.network_plan import NetworkPlan
from gpucluster.components.spec.existing import ExistingNetwork

Subnet = tuple[pulumi.Output[str], pulumi.Output[str]]
"""A network and its subnet, both by name."""


def fabric_networks(
    name: str,
    modes: Sequence[str],
    cidrs: Sequence[str],
    *,
    mtu: int,
    location: Location,
    opts: pulumi.ResourceOptions,
) -> list[Subnet]:
    """The subnets of a node's additional interfaces, in the order of its cards.

    modes, cidrs: one for each. All interfaces of mode RDMA share one network of the zone's RoCE profile, which supports
    no firewall rules.
    """
    roce: compute.Network | None = None
    subnets: list[Subnet] = []
    for index, (mode, cidr) in enumerate(zip(modes, cidrs, strict=True)):
        full = f"{name}-{index}"
        if mode == "RDMA":
            roce = network = roce or _roce_network(f"{name}-roce", mtu, location, opts)
        else:
            network = compute.Network(full, auto_create_subnetworks=False, mtu=mtu, routing_mode="REGIONAL", opts=opts)
            compute.Firewall(
                f"{full}-inside",
                network=network.id,
                description="GPU traffic between the nodes",
                source_ranges=[cidr],
                allows=[compute.FirewallAllowArgs(protocol=protocol) for protocol in ("tcp", "udp", "icmp")],
                opts=opts,
            )
        subnet = compute.Subnetwork(
            f"{full}-subnet", network=network.id, region=location.region, ip_cidr_range=cidr, opts=opts
        )
        subnets.append((network.name, subnet.name))
    return subnets


def _roce_network(name: str, mtu: int, location: Location, opts: pulumi.ResourceOptions) -> compute.Network:
    """A network only for RDMA, bound to the zone by its profile."""
    return compute.Network(
        name,
        auto_create_subnetworks=False,
        mtu=mtu,
        routing_mode="REGIONAL",
        network_profile=f"projects/{location.project}/global/networkProfiles/{location.zone}-vpc-roce",
        opts=opts,
    )


_PODS = "pods"
_SERVICES = "services"


class Network(pulumi.ComponentResource):
    """Outputs: network and subnetwork, by name. gpu_subnets: of the nodes' additional interfaces, in order.
    pods_range, services_range: names of the subnet's secondary ranges.

    ready: all of the cluster's own network. egress: resources that nodes depend on. private_services: resources that
    Google's own services inside the network depend on, empty without such services; `private_range` is the name of
    their range.
    """

    network: compute.Network
    subnetwork: compute.Subnetwork
    network_id: pulumi.Output[str]
    network_name: pulumi.Output[str]
    subnetwork_id: pulumi.Output[str]
    subnetwork_name: pulumi.Output[str]
    pods_range: str
    services_range: str
    gpu_subnets: list[Subnet]
    egress: list[pulumi.Resource]
    ready: list[pulumi.Resource]
    private_services: list[pulumi.Resource]
    private_range: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        plan: NetworkPlan,
        location: Location,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the APIs, and grants that propagate while the network is created. Of the network, only the range for
        Google's services accepts labels.
        """
        super().__init__("gpucluster:gcp:Network", name, {}, opts)
        self.egress, self.private_services, self.private_range = [], [], None
        if plan.existing is None:
            self._create(name, plan, location, after)
        else:
            self._use_existing(plan.existing, after)
        self.gpu_subnets = fabric_networks(
            f"{name}-gpu",
            plan.gpu_networks,
            plan.addresses.gpu,
            mtu=plan.mtu,
            location=location,
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        self.register_outputs({"network": self.network_name, "subnetwork": self.subnetwork_name})

    def _use_existing(self, existing: ExistingNetwork, after: Sequence[pulumi.Resource]) -> None:
        """The user's existing network; the stack manages no part of it."""
        self.network_id, self.subnetwork_id = map(pulumi.Output.from_input, (existing.id, existing.nodes))
        self.network_name = self.network_id.apply(_last)
        self.subnetwork_name = self.subnetwork_id.apply(_last)
        self.pods_range, self.services_range = existing.pods or _PODS, existing.services or _SERVICES
        self.ready = list(after)

    def _create(self, name: str, plan: NetworkPlan, location: Location, after: Sequence[pulumi.Resource]) -> None:
        """Creates the cluster's own network."""
        here = pulumi.ResourceOptions(parent=self)
        self.network = compute.Network(
            f"{name}-vpc",
            auto_create_subnetworks=False,
            mtu=plan.mtu,
            routing_mode="REGIONAL",
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        self.subnetwork = compute.Subnetwork(
            f"{name}-nodes",
            network=self.network.id,
            region=location.region,
            ip_cidr_range=plan.addresses.nodes,
            # Nodes have no public address: this is their access to Google's APIs and registries.
            private_ip_google_access=True,
            secondary_ip_ranges=[
                compute.SubnetworkSecondaryIpRangeArgs(range_name=_PODS, ip_cidr_range=plan.addresses.pods),
                compute.SubnetworkSecondaryIpRangeArgs(range_name=_SERVICES, ip_cidr_range=plan.addresses.services),
            ],
            log_config=compute.SubnetworkLogConfigArgs(
                aggregation_interval="INTERVAL_10_MIN", flow_sampling=0.5, metadata="INCLUDE_ALL_METADATA"
            ),
            opts=here,
        )
        if plan.nat:
            self.egress = self._nat_routes(name, location)
        if plan.private_services:
            self._private_services(name, plan.addresses.private_services)
        self.ready = [self.subnetwork, *self.egress, *self.private_services]
        self.network_id, self.network_name = self.network.id, self.network.name
        self.subnetwork_id, self.subnetwork_name = self.subnetwork.id, self.subnetwork.name
        self.pods_range, self.services_range = _PODS, _SERVICES

    def _nat_routes(self, name: str, location: Location) -> list[pulumi.Resource]:
        """NAT for images that are not in Google's registries. The GPU networks have none: no traffic leaves through
        them.
        """
        here = pulumi.ResourceOptions(parent=self)
        router = compute.Router(f"{name}-router", network=self.network.id, region=location.region, opts=here)
        nat = compute.RouterNat(
            f"{name}-nat",
            router=router.name,
            region=location.region,
            # Google adds addresses as ports run out. The default of 64 ports a node allows as many connections to one
            # registry at a time: eight processes of a job open more. Endpoint-independent mapping excludes dynamic
            # ports.
            # Source: Cloud NAT documentation, "IP addresses and ports".
            nat_ip_allocate_option="AUTO_ONLY",
            enable_dynamic_port_allocation=True,
            enable_endpoint_independent_mapping=False,
            min_ports_per_vm=64,
            max_ports_per_vm=4096,
            source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
            subnetworks=[
                compute.RouterNatSubnetworkArgs(name=self.subnetwork.id, source_ip_ranges_to_nats=["ALL_IP_RANGES"])
            ],
            opts=here,
        )
        return [router, nat]

    def _private_services(self, name: str, cidr: str) -> None:
        """A range for Google's services (Lustre, Filestore), and the peering with them."""
        here = pulumi.ResourceOptions(parent=self)
        address, _, length = cidr.partition("/")
        reserved = compute.GlobalAddress(
            f"{name}-private-range",
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=address,
            prefix_length=int(length),
            network=self.network.id,
            opts=here,
        )
        connection = servicenetworking.Connection(
            f"{name}-private-services",
            network=self.network.id,
            service="servicenetworking.googleapis.com",
            reserved_peering_ranges=[reserved.name],
            # A deleted service may hold the connection for days; without the peering, the network can be deleted.
            # Source: hashicorp/terraform-provider-google issue 19908.
            deletion_policy="REMOVE_PEERING",
            opts=here,
        )
        self.private_services, self.private_range = [connection], reserved.name


def _last(path: str) -> str:
    return path.rpartition("/")[2]

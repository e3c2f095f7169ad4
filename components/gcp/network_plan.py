"""The networks of a cluster on Google Cloud: its own or the user's, and those of the GPUs. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.gpudirect import MTU, fabric_of
from gpucluster.catalog.machines import Machine
from gpucluster.components.gcp.addresses import AddressPlan, plan_addresses
from gpucluster.components.spec.own_things import ClusterNetwork, ExistingNetwork
from gpucluster.record import record


@record(kw_only=True)
class NetworkPlan:
    """gpu_networks: modes of the device networks, in the order of a node's interfaces; several of mode RDMA are subnets
    of one network. mtu: of every network, bytes. nat: a route to the internet. private_services: Google's own services
    appear inside the network. existing: the user's network, if the stack creates none.
    """

    addresses: AddressPlan
    gpu_networks: tuple[str, ...]
    mtu: int
    nat: bool
    private_services: bool
    existing: ExistingNetwork | None = None

    @property
    def vpcs(self) -> int:
        """VPC networks to create: the cluster's own, one for each GPU interface over TCP, one for all over RoCE."""
        return (self.existing is None) + self.gpu_networks.count("NetDevice") + ("RDMA" in self.gpu_networks)


def network_modes(shape: Machine) -> tuple[str, ...]:
    """Modes of the device networks that a node of a shape has for its fabric."""
    fabric = fabric_of(shape)
    return () if fabric is None else fabric.device_modes


def plan_network(
    shape: Machine, *, nat: bool, private_services: bool, asked: ClusterNetwork | None = None
) -> NetworkPlan:
    """The networks of nodes of a shape. nat, private_services: as of the plan. asked: None for default ranges."""
    asked = asked or ClusterNetwork()
    fabric = fabric_of(shape)
    modes = network_modes(shape)
    return NetworkPlan(
        addresses=plan_addresses(len(modes), asked),
        gpu_networks=modes,
        mtu=MTU if fabric is None else fabric.mtu,
        nat=nat,
        private_services=private_services,
        existing=asked.existing,
    )

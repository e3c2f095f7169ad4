"""The networks of a cluster on Google Cloud: its own or the user's, those of the GPUs, and their address plan. Imports
no Pulumi.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.quotas import ADDRESSES, NETWORKS
from gpucluster.components.planning.address_ranges import is_range, refuse_peers, refuse_ranges, sixteenth
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.existing import ClusterNetwork, ExistingNetwork
from gpucluster.core.catalog.fabrics import MTU, fabric_of
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.questions import Question

# Pods on a GPU node: GKE gives a node twice as many addresses, a /26. Source: GoogleCloudPlatform/xpk,
# blueprint_generator.py (32); Google Cloud documentation, "Configure maximum Pods per node".
GPU_PODS_PER_NODE = 32
_GPU_NODE_PODS = 64
# At 110 pods, the default: a /24. Source: the same page.
_NODE_PODS = 256
# The first two and the last two addresses of a subnet are Google's. Source: Google Cloud documentation, "Subnets".
_RESERVED = 4

_NAME = r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
_PROJECT = r"projects/(?P<project>[a-z][a-z0-9-]{4,28}[a-z0-9])"
_NETWORK_ID = rf"^{_PROJECT}/global/networks/{_NAME}$"
_SUBNET = rf"^{_PROJECT}/regions/(?P<region>[a-z0-9-]+)/subnetworks/{_NAME}$"

_NETWORK = "10.0.0.0/16"
_FABRIC = "10.8.0.0/16"


@dataclass(frozen=True, kw_only=True)
class AddressPlan:
    """nodes, pods, services: of the cluster's own network. private_services: for Google's own services (Lustre,
    Filestore) in it. gpu: one for each subnet of a GPU network.
    """

    nodes: str = "10.0.0.0/20"
    services: str = "10.0.32.0/20"
    private_services: str = "10.0.64.0/20"
    pods: str = "10.4.0.0/14"
    gpu: tuple[str, ...] = ()

    def named(self) -> dict[str, str]:
        """Every range by its use."""
        return {
            "nodes": self.nodes,
            "services": self.services,
            "private services": self.private_services,
            "pods": self.pods,
            **{f"GPU network {index}": cidr for index, cidr in enumerate(self.gpu)},
        }


def plan_addresses(gpu_subnets: int, requested: ClusterNetwork) -> AddressPlan:
    """The plan of a cluster whose nodes have interfaces in this many GPU subnets: each a sixteenth of their range. In
    the user's network, `nodes` is the whole range, and pods and services, which exist already, keep our defaults.
    """
    ranges, existing = requested.ranges, requested.existing
    network, fabric = ranges.network or _NETWORK, ranges.fabric or _FABRIC
    return AddressPlan(
        nodes=sixteenth(network, 0) if existing is None else existing.cidr,
        services=ranges.services or sixteenth(network, 2),
        private_services=(existing and existing.storage) or sixteenth(network, 4),
        pods=ranges.pods or AddressPlan.pods,
        gpu=tuple(sixteenth(fabric, index) for index in range(gpu_subnets)),
    )


@dataclass(frozen=True, kw_only=True)
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
    shape: Machine,
    planning: Planning[Any],
    *,
    nat: bool,
    private_services: bool,
    network: ClusterNetwork | None = None,
) -> NetworkPlan:
    """The networks of nodes of a shape. nat, private_services: as of the plan. network: None for default ranges."""
    requested = network or ClusterNetwork()
    fabric = fabric_of(shape)
    modes = network_modes(shape)
    plan = NetworkPlan(
        addresses=plan_addresses(len(modes), requested),
        gpu_networks=modes,
        mtu=MTU if fabric is None else fabric.mtu,
        nat=nat,
        private_services=private_services,
        existing=requested.existing,
    )
    planning.quotas[NETWORKS] += plan.vpcs
    planning.quotas[ADDRESSES] += nat
    return plan


def refuse_addresses(
    plan: AddressPlan,
    planning: Planning[Location],
    *,
    gpu_nodes: int,
    other_nodes: int,
    peers: Sequence[str] = (),
    existing: bool = False,
) -> None:
    """Ranges that are public, overlap, or are too small.

    peers: ranges at the other end of a VPN, as in access.cidrs. existing: it is the user's network, of which only the
    range is known.
    """
    ranges = {
        name: ipaddress.IPv4Network(cidr)
        for name, cidr in plan.named().items()
        if not existing or name == "nodes" or name.startswith("GPU")
    }
    refuse_ranges(ranges, planning)
    refuse_peers({name: range_ for name, range_ in ranges.items() if not name.startswith("GPU")}, peers, planning)
    rooms = {
        "nodes": (ranges["nodes"].num_addresses - _RESERVED, gpu_nodes + other_nodes),
        **(
            {"pods": (ranges["pods"].num_addresses, gpu_nodes * _GPU_NODE_PODS + other_nodes * _NODE_PODS)}
            if "pods" in ranges
            else {}
        ),
        **{
            name: (cidr.num_addresses - _RESERVED, gpu_nodes) for name, cidr in ranges.items() if name.startswith("GPU")
        },
    }
    for name, (room, needed) in rooms.items():
        if needed > room:
            planning.refuse(
                "training.nodes",
                f"and the other pools need {needed:,} addresses for {name}",
                f"{ranges[name]} has {room:,}: request fewer nodes",
            )


def report_existing(network: ClusterNetwork, plan: NetworkPlan, planning: Planning[Location]) -> None:
    """What the user's network must be: a plan can't look it up.

    A network of another project (Shared VPC) is refused: the cluster's service accounts would have to create resources
    there, such as firewall rules. Sources: GKE documentation, "VPC-native clusters"; Managed Lustre documentation,
    "Configure a VPC network".
    """
    existing, at = network.existing, "network.existing"
    if existing is None:
        return
    _refuse_ids(existing, planning)
    for name, value in (("pods", existing.pods), ("services", existing.services)):
        if value is None or not re.fullmatch(_NAME, value):
            planning.refuse(
                f"{at}.{name}",
                "is missing" if value is None else f"is {value!r}",
                f"write the name of the subnet's secondary range for {name}, such as {name}: 1 to 63 lower-case "
                "letters, digits and hyphens, starting with a letter",
            )
    for name, value in (("pods", network.ranges.pods), ("services", network.ranges.services)):
        if value is not None:
            seen = "is set, but the cluster uses the secondary ranges of your subnet"
            planning.refuse(f"network.ranges.{name}", seen, "remove it")
    if plan.private_services and existing.storage is None:
        fix = "write its private services access range, for file systems, such as 10.30.0.0/20"
        planning.refuse(f"{at}.storage", "is missing", fix)
    if existing.storage is not None and not is_range(existing.storage):
        planning.refuse(f"{at}.storage", f"is {existing.storage!r}", "write a range such as 10.30.0.0/20")
    out = ", and Cloud NAT or your proxy" if plan.nat else ""
    storage = (
        ""
        if existing.storage is None
        else f", and private services access (servicenetworking.googleapis.com) with {existing.storage}"
    )
    network_note = (
        f"network: {existing.id} is your network: the cluster adds firewall rules, and destroy removes only these; it "
        f"must have an MTU of {plan.mtu:,}, as the GPU networks, which the cluster creates"
    )
    subnet_note = (
        f"network: {existing.nodes} must have addresses of {existing.cidr}, Private Google Access, the secondary "
        f"ranges {existing.pods} and {existing.services}{out}{storage}"
    )
    pods, services = existing.pods or "", existing.services or ""
    planning.ask(
        Question(about="network", subject=existing.id, needed=plan.mtu, unit="bytes of MTU", note=network_note),
        Question(
            about="subnet",
            subject=existing.nodes,
            needed=f"{existing.cidr}, ranges {pods} and {services}",
            place=planning.location.region,
            details={"network": existing.id, "cidr": existing.cidr, "pods": pods, "services": services},
            note=subnet_note,
        ),
    )
    if plan.nat:
        # The user's proxy serves as well, and no API shows it.
        region = planning.location.region
        nat = Question(
            about="nat", subject=existing.id, needed="Cloud NAT", place=region, note=subnet_note, decides=False
        )
        planning.ask(nat)
    if existing.storage is not None:
        planning.ask(Question(about="peering", subject=existing.id, needed=existing.storage, note=subnet_note))


def _refuse_ids(existing: ExistingNetwork, planning: Planning[Location]) -> None:
    at, location = "network.existing", planning.location
    network, subnet = re.fullmatch(_NETWORK_ID, existing.id), re.fullmatch(_SUBNET, existing.nodes)
    if network is None:
        planning.refuse(f"{at}.id", f"is {existing.id!r}", "write projects/my-project/global/networks/NAME")
    if subnet is None:
        example = "write projects/my-project/regions/us-central1/subnetworks/NAME"
        planning.refuse(f"{at}.nodes", f"is {existing.nodes!r}", example)
    elif subnet["region"] != location.region:
        refuse_region(f"{at}.nodes", subnet["region"], planning)
    if existing.others:
        planning.refuse(f"{at}.others", "is set, but on Google Cloud all nodes share one subnet", "remove it")
    if existing.egress != "nat":
        planning.refuse(f"{at}.egress", "is set, but Google Cloud does not use it", "remove it")
    for name, found in {f"{at}.id": network, f"{at}.nodes": subnet}.items():
        if found is not None and found["project"] != location.project:
            planning.refuse_place(
                "project",
                f"is {location.project!r}, but {name} of the spec is in {found['project']}: a Shared VPC is not "
                "supported",
                "write a network of this project",
            )


def refuse_region(field: str, region: str, planning: Planning[Location]) -> None:
    """A resource of the spec in another region than the cluster's."""
    planning.refuse_place(
        "region", f"is {planning.location.region!r}, but {field} of the spec is in {region}", "use one"
    )

"""The network of a cluster on Azure, its own or the user's, and its address plan. Imports no Pulumi."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.rights import ASSIGN, rights_question
from gpucluster.components.planning.address_ranges import refuse_peers, refuse_ranges, sixteenth
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.access import Access, PrivateAccess, PublicAccess
from gpucluster.components.spec.existing import ClusterNetwork, ExistingNetwork
from gpucluster.core.catalog.azure_regions import INFINIBAND, azure_ranges
from gpucluster.core.program.questions import Question

# Services of every machine: its metadata, with tokens of its identities, and Azure's wire server, with its settings.
# Sources: Azure documentation, "Azure Instance Metadata Service" and "What is IP address 168.63.129.16?".
MACHINE_SERVICES = ("169.254.169.254", "168.63.129.16")

_GROUP = r"/subscriptions/(?P<subscription>[0-9a-f-]{36})/resourceGroups/(?P<group>[\w().-]{1,90})/providers"
# Source: Azure Resource Manager, "Naming rules and restrictions for Azure resources" (Microsoft.Network).
NETWORK = rf"(?i)^(?P<network>{_GROUP}/Microsoft\.Network/virtualNetworks/(?P<name>[\w.-]{{2,64}}))$"
_SUBNET = rf"{NETWORK[:-1]}/subnets/[\w.-]{{1,80}}$"
_EXAMPLE = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/mine/providers/Microsoft.Network/"
    "virtualNetworks/mine"
)

# The first four addresses of a subnet and the last one are Azure's. Source: Azure documentation, "Virtual network FAQ".
_RESERVED = 5
# An overlay gives every node a /24 of the pods' range. Source: AKS documentation, "Azure CNI Overlay".
_NODE_PODS = 256
# TiB -> prefix of the subnet for this much Lustre; /24 is the minimum in all sources.
# Sources: Azure Managed Lustre documentation, "Prerequisites"; azure-native SDK, AmlFilesystem.filesystemSubnet.
_LUSTRE_SUBNETS = {196: 24, 400: 23}


@dataclass(frozen=True, kw_only=True)
class AddressPlan:
    """network: contains the subnets nodes and lustre. pods, services: known only inside the cluster, so they must lie
    outside the network. dns: address of the cluster's DNS, one of the services. existing: the user's network, if the
    stack creates none.
    """

    network: str = "10.0.0.0/16"
    nodes: str = "10.0.0.0/20"
    lustre: str = "10.0.32.0/24"
    services: str = "10.1.0.0/20"
    dns: str = "10.1.0.10"
    pods: str = "10.4.0.0/14"
    existing: ExistingNetwork | None = None

    @property
    def routed(self) -> bool:
        """Whether nodes reach the internet by the routes of the user's network, not a NAT gateway."""
        return self.existing is not None and self.existing.egress == "routes"


def plan_addresses(requested: ClusterNetwork, *, lustre_tib: int = 0) -> AddressPlan:
    """The ranges of a cluster. lustre_tib: size of its Managed Lustre."""
    ranges, defaults = requested.ranges, AddressPlan()
    network = (requested.existing.cidr if requested.existing else ranges.network) or defaults.network
    services = ranges.services or defaults.services
    return AddressPlan(
        network=network,
        nodes=sixteenth(network, 0),
        lustre=_lustre_range(sixteenth(network, 2), lustre_tib),
        services=services,
        dns=str(ipaddress.IPv4Network(services)[10]),
        pods=ranges.pods or defaults.pods,
        existing=requested.existing,
    )


def _lustre_range(block: str, capacity_tib: int) -> str:
    """The subnet of a Managed Lustre file system of this size. Above the documented sizes, the whole block."""
    room = ipaddress.IPv4Network(block)
    prefix = next((found for most, found in _LUSTRE_SUBNETS.items() if capacity_tib <= most), room.prefixlen)
    return str(next(room.subnets(new_prefix=prefix))) if prefix > room.prefixlen else block


def refuse_addresses(plan: AddressPlan, planning: Planning[Location], *, nodes: int, peers: Sequence[str] = ()) -> None:
    """Ranges that are public, overlap each other or reserved ones, or are too small.

    nodes: of all pools. peers: ranges at the other end of a VPN, as in access.cidrs.
    """
    outer = {
        name: ipaddress.IPv4Network(cidr)
        for name, cidr in {"network": plan.network, "services": plan.services, "pods": plan.pods}.items()
    }
    # The plan does not know the subnets of the user's network.
    cut = {} if plan.existing else {"nodes": plan.nodes, "Lustre": plan.lustre}
    subnets = {name: ipaddress.IPv4Network(cidr) for name, cidr in cut.items()}
    refuse_ranges(outer, planning)
    refuse_ranges(subnets, planning)
    for name, cidr in subnets.items():
        if not cidr.subnet_of(outer["network"]):
            planning.refuse("", f"the range of {name}, {cidr}, is outside of the network ({plan.network})")
    for name, cidr in outer.items():
        if reserved := _reserved_in(cidr):
            existing = name == "network" and plan.existing
            field = "network.existing.cidr" if existing else f"network.ranges.{name}"
            planning.refuse(field, f"is {cidr}, which overlaps {reserved}", "write another range")
    for peer in peers:
        if reserved := _reserved_in(ipaddress.IPv4Network(peer), INFINIBAND):
            seen = f"has {peer}, which overlaps {reserved}, and nodes reach nothing else there"
            planning.refuse("access.cidrs", seen, "name other ranges")
    refuse_peers(outer, peers, planning)
    rooms = {
        "nodes": (subnets.get("nodes", outer["network"]).num_addresses - _RESERVED, nodes),
        "pods": (outer["pods"].num_addresses, nodes * _NODE_PODS),
    }
    for name, (room, needed) in rooms.items():
        if needed > room:
            planning.refuse(
                "training.nodes",
                f"and the other pools need {needed:,} addresses for {name}",
                f"the plan has {room:,}: request fewer nodes",
            )


def _reserved_in(cidr: ipaddress.IPv4Network, *owners: str) -> str:
    """The reserved ranges that a range overlaps, with their owners, as text. owners: only theirs."""
    found: dict[str, list[str]] = {}
    for reserved, owner in azure_ranges().items():
        if owner in (owners or (owner,)) and cidr.overlaps(ipaddress.IPv4Network(reserved)):
            found.setdefault(owner, []).append(reserved)
    return " and ".join(f"{' and '.join(reserved)}, reserved for {owner}" for owner, reserved in found.items())


def subscription_of(network: str) -> str:
    """The subscription of a network by its id, which must be one."""
    found = re.fullmatch(NETWORK, network)
    return "" if found is None else found["subscription"].lower()


def _group_of(network: str) -> str:
    """The resource group of a network, likewise."""
    found = re.fullmatch(NETWORK, network)
    return "" if found is None else f"/subscriptions/{found['subscription']}/resourceGroups/{found['group']}"


def report_existing(
    existing: ExistingNetwork | None, access: Access, planning: Planning[Location], *, lustre: bool, nodes: int
) -> None:
    """What the user's network, and a network to peer with, must be: a plan can't look them up. lustre: the cluster
    creates a Managed Lustre. nodes: of all pools.

    Sources: azure-aks-docs fb060abe6, nat-gateway.md, egress-udr.md and limit-egress-traffic.md; Azure Managed Lustre
    documentation, "Prerequisites"; Azure Storage documentation, "NFS file shares".
    """
    if existing is not None:
        _refuse_existing(existing, planning, lustre=lustre)
    peer = access.peer if isinstance(access, PrivateAccess) else None
    if peer is not None and existing is not None:
        fix = "remove it, and peer your network yourself"
        planning.refuse("access.peer", "is set together with network.existing", fix)
    elif peer is not None and not re.fullmatch(NETWORK, peer):
        planning.refuse("access.peer", f"is {peer!r}", f"write the id of a virtual network, such as {_EXAMPLE}")
    if isinstance(access, PrivateAccess) and peer is not None:
        _report_peer(peer, planning, gateway=access.peer_gateway)
    elif existing is not None:
        _report_requirements(existing, access, planning, nodes=nodes)


def _refuse_existing(existing: ExistingNetwork, planning: Planning[Location], *, lustre: bool) -> None:
    """Source of the refused subscription: Azure Managed Lustre documentation, "Create a file system using Resource
    Manager templates": all resources of a file system are in its subscription.
    """
    at, here, subscription = "network.existing", planning.location.subscription, subscription_of(existing.id)
    if not subscription:
        planning.refuse(f"{at}.id", f"is {existing.id!r}", f"write {_EXAMPLE}")
    elif lustre and subscription != here:
        planning.refuse_place(
            "subscription",
            f"is {here}, but {at} of the spec is in {subscription}: Azure Managed Lustre must be in the subscription "
            "of its subnet",
            "write storage.shared.kind: bucket or storage.shared.existing in the spec, or a network of this "
            "subscription",
        )
    for name, subnet in (("nodes", existing.nodes), ("storage", existing.storage)):
        found = None if subnet is None else re.fullmatch(_SUBNET, subnet)
        if subnet is not None and (found is None or found["network"].lower() != existing.id.lower()):
            fix = f"write the id of a subnet of the network, such as {existing.id}/subnets/{name}"
            planning.refuse(f"{at}.{name}", f"is {subnet!r}", fix)
    if existing.storage is None and lustre:
        planning.refuse(f"{at}.storage", "is missing", "write the subnet of Azure Managed Lustre")
    given = {"others": existing.others or None, "pods": existing.pods, "services": existing.services}
    for name, value in given.items():
        if value is not None:
            planning.refuse(
                f"{at}.{name}",
                "is set, but on Azure all nodes share one subnet, and pods and services use the cluster's own ranges",
                "remove it, or write ranges under network.ranges",
            )


def _report_peer(peer: str, planning: Planning[Location], *, gateway: bool) -> None:
    subscription = subscription_of(peer)
    own = subscription == planning.location.subscription
    where = "there" if own else f"there, in subscription {subscription} of the same tenant"
    behind = (
        "networks behind its VPN or ExpressRoute gateway, which must exist before `up`, reach the cluster by gateway "
        "transit"
        if gateway
        else "networks behind its gateway reach the cluster only with access.peer_gateway: true"
    )
    note = (
        f"network: peered with {peer}, in both directions: the identity that runs `up` needs Microsoft.Network/"
        f"virtualNetworks/peer/action and virtualNetworkPeerings/read, write and delete {where}; {behind}"
    )
    planning.ask(
        rights_question("peer the network", _group_of(peer), *_PEER_ACTIONS, note=note),
        Question(
            about="network",
            subject=peer,
            needed="a gateway" if gateway else None,
            title="network to peer with",
            details={"gateway": "needed" if gateway else ""},
            note=note,
        ),
    )


_PEER_ACTIONS = (
    "Microsoft.Network/virtualNetworks/peer/action",
    "Microsoft.Network/virtualNetworks/virtualNetworkPeerings/read",
    "Microsoft.Network/virtualNetworks/virtualNetworkPeerings/write",
    "Microsoft.Network/virtualNetworks/virtualNetworkPeerings/delete",
)
# To join its subnets, and to give the cluster's identity its role. Source: AKS documentation, "Service permissions".
_JOIN_ACTIONS = ("Microsoft.Network/virtualNetworks/subnets/join/action", ASSIGN)


def _report_requirements(
    existing: ExistingNetwork, access: Access, planning: Planning[Location], *, nodes: int
) -> None:
    routed, subscription = existing.egress == "routes", subscription_of(existing.id)
    way = "a route table whose 0.0.0.0/0 ends at a firewall or gateway" if routed else "a NAT gateway"
    end = "firewall" if routed else "NAT gateway"
    planning.before_up.append(
        f"network: {existing.id} is your network: the cluster's identity becomes Network Contributor on it; destroy "
        "removes this role only"
    )
    note = (
        f"network: {existing.nodes} must have addresses of {existing.cidr} for {nodes} nodes, {way}, and the service "
        f"endpoint Microsoft.Storage, without which what jobs read from Blob passes the {end}, too"
    )
    region = planning.location.region
    planning.ask(
        Question(about="network", subject=existing.id, needed=f"in {region}", details={"region": region}),
        Question(
            about="subnet-room",
            subject=existing.nodes,
            needed=nodes,
            unit=f"free addresses of {existing.cidr}",
            details={"cidr": existing.cidr},
            note=note,
        ),
        Question(
            about="subnet-egress",
            subject=existing.nodes,
            needed=way,
            details={"egress": existing.egress},
            note=note,
        ),
        Question(
            about="subnet-endpoint",
            subject=existing.nodes,
            needed="service endpoint Microsoft.Storage",
            note=note,
            decides=False,
        ),
    )
    if routed:
        planning.before_up.append(
            "network: the firewall must let pass what AKS (its documentation: Outbound network and FQDN rules) and the "
            "registries of images need; AKS creates no address for egress"
        )
    joined = ""
    if subscription != planning.location.subscription:
        joined = (
            f"network: it is in subscription {subscription}, which must be of the same tenant: the identity that runs "
            "`up` needs the right to assign roles on it and to join its subnets"
        )
    planning.ask(
        rights_question("join the network and assign roles", _group_of(existing.id), *_JOIN_ACTIONS, note=joined)
    )
    if isinstance(access, PublicAccess):
        planning.ask(
            Question(
                about="egress-address",
                subject=existing.nodes,
                needed=f"in {', '.join(access.cidrs)}",
                details={"cidrs": " ".join(access.cidrs), "egress": existing.egress},
                note=f"network: access.cidrs must contain the address of that {end}, or no node reaches the API",
            )
        )
    if existing.storage is not None:
        planning.ask(
            Question(
                about="lustre-room",
                subject=existing.storage,
                needed="/24 or wider, unused",
                note=f"network: {existing.storage} must be /24 or wider, unused except by Azure Managed Lustre, with "
                "ports 988 and 1019 to 1023 open to the nodes, and 443 to AzureCloud",
            )
        )

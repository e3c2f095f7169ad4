"""Existing Azure resources that a spec refers to: network, peer, file system, action group. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.components.azure.arm import ACTION_GROUP
from gpucluster.components.azure.location import Location
from gpucluster.components.mounted import mounted_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.own_things import ExistingNetwork

_GROUP = r"/subscriptions/(?P<subscription>[0-9a-f-]{36})/resourceGroups/(?P<group>[\w().-]{1,90})/providers"
# Sources: Azure Resource Manager, "Naming rules and restrictions for Azure resources" (Microsoft.Network,
# Microsoft.StorageCache).
NETWORK = rf"(?i)^(?P<network>{_GROUP}/Microsoft\.Network/virtualNetworks/(?P<name>[\w.-]{{2,64}}))$"
_SUBNET = rf"{NETWORK[:-1]}/subnets/[\w.-]{{1,80}}$"
_FILES = rf"(?i)^{_GROUP}/Microsoft\.StorageCache/amlFilesystems/[\w-]{{2,80}}$"

_SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000"
_EXAMPLE = f"{_SUBSCRIPTION}/resourceGroups/mine/providers/Microsoft.Network/virtualNetworks/mine"
_ACTIONS_EXAMPLE = f"{_SUBSCRIPTION}/resourceGroups/mine/providers/Microsoft.Insights/actionGroups/pager"
_FILES_EXAMPLE = f"{_SUBSCRIPTION}/resourceGroups/mine/providers/Microsoft.StorageCache/amlFilesystems/shared"


def existing_problems(spec: ClusterSpec) -> list[Problem]:
    """Ids that are not Azure's, and a key for secrets, which is not supported on AKS."""
    problems = mounted_problems(spec.storage.shared, _FILES, _FILES_EXAMPLE)
    if spec.secrets_key is not None:
        fix = "remove it: Azure encrypts secrets with platform-managed keys"
        problems.append(Problem("secrets_key", "is set, but your own key is not supported on Azure", fix))
    topic = None if spec.telemetry.alerts is None else spec.telemetry.alerts.topic
    if topic is not None and not re.fullmatch(ACTION_GROUP, topic):
        fix = f"write the id of an action group, such as {_ACTIONS_EXAMPLE}"
        problems.append(Problem("telemetry.alerts.topic", f"is {topic!r}", fix))
    if spec.network.existing is not None:
        problems += _network_problems(spec, spec.network.existing)
    peer = _peer(spec)
    if peer is not None and spec.network.existing is not None:
        fix = "remove it, and peer your network yourself"
        problems.append(Problem("access.peer", "is set together with network.existing", fix))
    elif peer is not None and not re.fullmatch(NETWORK, peer):
        problems.append(
            Problem("access.peer", f"is {peer!r}", f"write the id of a virtual network, such as {_EXAMPLE}")
        )
    return problems


def _peer(spec: ClusterSpec) -> str | None:
    return spec.access.peer if isinstance(spec.access, PrivateAccess) else None


def _network_problems(spec: ClusterSpec, existing: ExistingNetwork) -> list[Problem]:
    at = "network.existing"
    problems = (
        [] if re.fullmatch(NETWORK, existing.id) else [Problem(f"{at}.id", f"is {existing.id!r}", f"write {_EXAMPLE}")]
    )
    for name, subnet in (("nodes", existing.nodes), ("storage", existing.storage)):
        found = None if subnet is None else re.fullmatch(_SUBNET, subnet)
        if subnet is not None and (found is None or found["network"].lower() != existing.id.lower()):
            fix = f"write the id of a subnet of the network, such as {existing.id}/subnets/{name}"
            problems.append(Problem(f"{at}.{name}", f"is {subnet!r}", fix))
    if existing.storage is None and spec.storage.shared.makes_lustre:
        problems.append(Problem(f"{at}.storage", "is missing", "write the subnet of Azure Managed Lustre"))
    given = {"others": existing.others or None, "pods": existing.pods, "services": existing.services}
    return problems + [
        Problem(
            f"{at}.{name}",
            "is set, but on Azure all nodes share one subnet, and pods and services use the cluster's own ranges",
            "remove it, or write ranges under network.ranges",
        )
        for name, value in given.items()
        if value is not None
    ]


def subscription_of(network: str) -> str:
    """The subscription of a network by its id, which must be one."""
    found = re.fullmatch(NETWORK, network)
    return "" if found is None else found["subscription"].lower()


def existing_place_problems(spec: ClusterSpec, location: Location) -> list[Problem]:
    """A file system whose subnet is in another subscription, in the terms of the stack's configuration.

    Source: Azure Managed Lustre documentation, "Create a file system using Resource Manager templates": all resources
    of a file system are in its subscription.
    """
    existing = spec.network.existing
    if existing is None or not spec.storage.shared.makes_lustre or not re.fullmatch(NETWORK, existing.id):
        return []
    theirs = subscription_of(existing.id)
    if theirs == location.subscription:
        return []
    seen = f"is {location.subscription}, but network.existing of the spec is in {theirs}: Azure Managed Lustre must be "
    fix = "write storage.shared.kind: bucket or storage.shared.existing in the spec, or a network of this subscription"
    return [Problem("subscription", f"{seen}in the subscription of its subnet", fix)]


def _peer_note(peer: str, location: Location, *, gateway: bool) -> str:
    theirs = subscription_of(peer)
    where = "there" if theirs == location.subscription else f"there, in subscription {theirs} of the same tenant"
    behind = (
        "networks behind its VPN or ExpressRoute gateway, which must exist before `up`, reach the cluster by gateway "
        "transit"
        if gateway
        else "networks behind its gateway reach the cluster only with access.peer_gateway: true"
    )
    return (
        f"network: peered with {peer}, in both directions: the identity that runs `up` needs Microsoft.Network/"
        f"virtualNetworks/peer/action and virtualNetworkPeerings/read, write and delete {where}; {behind}"
    )


def network_notes(spec: ClusterSpec, location: Location, *, nodes: int) -> list[str]:
    """Requirements on the user's network, which a plan can't look up. nodes: of all pools.

    Sources: azure-aks-docs fb060abe6, nat-gateway.md, egress-udr.md and limit-egress-traffic.md; Azure Managed Lustre
    documentation, "Prerequisites"; Azure Storage documentation, "NFS file shares".
    """
    existing, peer = spec.network.existing, _peer(spec)
    if isinstance(spec.access, PrivateAccess) and peer is not None:
        return [_peer_note(peer, location, gateway=spec.access.peer_gateway)]
    if existing is None:
        return []
    routed = existing.egress == "routes"
    way = "a route table whose 0.0.0.0/0 ends at a firewall or gateway" if routed else "a NAT gateway"
    end = "firewall" if routed else "NAT gateway"
    notes = [
        f"network: {existing.id} is your network: the cluster's identity becomes Network Contributor on it; destroy "
        "removes this role only",
        f"network: {existing.nodes} must have addresses of {existing.cidr} for {nodes} nodes, {way}, and the service "
        f"endpoint Microsoft.Storage, without which what jobs read from Blob passes the {end}, too",
    ]
    if routed:
        notes.append(
            "network: the firewall must let pass what AKS (its documentation: Outbound network and FQDN rules) and the "
            "registries of images need; AKS creates no address for egress"
        )
    if subscription_of(existing.id) != location.subscription:
        notes.append(
            f"network: it is in subscription {subscription_of(existing.id)}, which must be of the same tenant: the "
            "identity that runs `up` needs the right to assign roles on it and to join its subnets"
        )
    if isinstance(spec.access, PublicAccess):
        notes.append(f"network: access.cidrs must contain the address of that {end}, or no node reaches the API")
    if existing.storage is not None:
        notes.append(
            f"network: {existing.storage} must be /24 or wider, unused except by Azure Managed Lustre, with ports 988 "
            "and 1019 to 1023 open to the nodes, and 443 to AzureCloud"
        )
    return notes

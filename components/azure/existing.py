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


def existing_place_problems(spec: ClusterSpec, location: Location) -> list[Problem]:
    """A network of another subscription, in the terms of the stack's configuration."""
    named = {
        "network.existing.id": None if spec.network.existing is None else spec.network.existing.id,
        "access.peer": _peer(spec),
    }
    found = {name: re.fullmatch(NETWORK, network) for name, network in named.items() if network is not None}
    return [
        Problem(
            "subscription",
            f"is {location.subscription}, but {name} of the spec is in {network['subscription']}: another subscription "
            "is not supported",
            "write a network of this subscription, which you can peer with others",
        )
        for name, network in found.items()
        if network is not None and network["subscription"].lower() != location.subscription
    ]


def network_notes(spec: ClusterSpec, *, nodes: int) -> list[str]:
    """Requirements on the user's network, which a plan can't look up. nodes: of all pools.

    Sources: AKS documentation, "Create a managed or user-assigned NAT gateway"; Azure Managed Lustre documentation,
    "Prerequisites"; Azure Storage documentation, "NFS file shares".
    """
    existing, peer = spec.network.existing, _peer(spec)
    if peer is not None:
        return [
            f"network: peered with {peer}, in both directions: the identity that runs `up` needs "
            "Microsoft.Network/virtualNetworks/peer/action there; networks behind its gateway need gateway transit, "
            "which is not set"
        ]
    if existing is None:
        return []
    notes = [
        f"network: {existing.id} is your network: the cluster's identity becomes Network Contributor on it; destroy "
        "removes this role only",
        f"network: {existing.nodes} must have addresses of {existing.cidr} for {nodes} nodes, a NAT gateway and "
        "the service endpoint Microsoft.Storage, without which the gateway bills what jobs read from Blob, too",
    ]
    if isinstance(spec.access, PublicAccess):
        notes.append("network: access.cidrs must contain the address of that NAT gateway, or no node reaches the API")
    if existing.storage is not None:
        notes.append(
            f"network: {existing.storage} must be /24 or wider, unused except by Azure Managed Lustre, with ports 988 "
            "and 1019 to 1023 open to the nodes, and 443 to AzureCloud"
        )
    return notes

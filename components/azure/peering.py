"""Peering of the cluster's network with a network of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pulumi
from pulumi_azure_native import network

from gpucluster.components.azure.existing import NETWORK


def peerings(
    name: str,
    ours: network.VirtualNetwork,
    group: pulumi.Input[str],
    peer: str,
    *,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Both directions; Azure connects nothing without both. peer: id of the user's network. after: earlier changes of
    our network, because a network accepts one change at a time.

    Source: Azure documentation, "Create, change, or delete a virtual network peering".
    """
    found = re.fullmatch(NETWORK, peer)
    assert found is not None
    later = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    there = network.VirtualNetworkPeering(
        f"{name}-there",
        resource_group_name=group,
        virtual_network_name=ours.name,
        remote_virtual_network=network.SubResourceArgs(id=peer),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        opts=later,
    )
    back = network.VirtualNetworkPeering(
        f"{name}-back",
        resource_group_name=found["group"],
        virtual_network_name=found["name"],
        remote_virtual_network=network.SubResourceArgs(id=ours.id),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[there])),
    )
    return [there, back]

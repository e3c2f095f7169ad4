"""Peering of the cluster's network with a network of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pulumi
import pulumi_azure_native as azure
from pulumi_azure_native import network

from gpucluster.components.azure.network_plan import NETWORK, subscription_of


def peerings(
    name: str,
    ours: network.VirtualNetwork,
    group: pulumi.Input[str],
    peer: str,
    *,
    subscription: str,
    gateway: bool,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Both directions; Azure connects nothing without both. peer: id of the user's network. subscription: the
    cluster's. gateway: networks behind the gateway of the user's network reach ours. after: earlier changes of our
    network, because a network accepts one change at a time.

    Source: Azure documentation, "Create, change, or delete a virtual network peering".
    """
    found = re.fullmatch(NETWORK, peer)
    assert found is not None
    theirs = opts
    if subscription_of(peer) != subscription:
        own = azure.Provider(f"{name}-subscription", subscription_id=subscription_of(peer), opts=opts)
        theirs = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(provider=own))
    # First, and always with its permission: ARM refuses ours as long as this one does not permit the gateway's use.
    back = network.VirtualNetworkPeering(
        f"{name}-back",
        # In the user's network, which other clusters use as well. Older stacks have a name without their network's.
        virtual_network_peering_name=ours.name,
        resource_group_name=found["group"],
        virtual_network_name=found["name"],
        remote_virtual_network=network.SubResourceArgs(id=ours.id),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        allow_gateway_transit=True,
        opts=pulumi.ResourceOptions.merge(
            theirs,
            pulumi.ResourceOptions(depends_on=list(after), ignore_changes=["virtualNetworkPeeringName"]),
        ),
    )
    there = network.VirtualNetworkPeering(
        f"{name}-there",
        resource_group_name=group,
        virtual_network_name=ours.name,
        remote_virtual_network=network.SubResourceArgs(id=peer),
        allow_virtual_network_access=True,
        allow_forwarded_traffic=True,
        use_remote_gateways=gateway or None,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[back])),
    )
    return [back, there]

"""A blob container in its own storage account: no anonymous access, encrypted by Azure."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_azure_native import storage

from gpucluster.components.planning.labels import EXPECTED_GIB

CONTAINER: Final = "data"


def private_container(
    name: str,
    *,
    account_name: str,
    group: pulumi.Input[str],
    keys: bool = False,
    network_rules: storage.NetworkRuleSetArgs | None = None,
    expected_gib: str | None,
    protect: bool,
    parent: pulumi.Resource,
) -> tuple[storage.StorageAccount, storage.BlobContainer]:
    """account_name: unique in all of Azure. keys: whether account keys also give access, as Managed Lustre requires.
    expected_gib: average GiB stored, for the cost.
    """
    kept = pulumi.ResourceOptions(parent=parent, protect=protect)
    account = storage.StorageAccount(
        f"{name}-account",
        account_name=account_name,
        resource_group_name=group,
        kind="StorageV2",
        sku=storage.SkuArgs(name="Standard_LRS"),
        access_tier=storage.AccessTier.HOT,
        enable_https_traffic_only=True,
        allow_shared_key_access=keys,
        allow_blob_public_access=False,
        minimum_tls_version="TLS1_2",
        network_rule_set=network_rules,
        tags={} if expected_gib is None else {EXPECTED_GIB: expected_gib},
        opts=kept,
    )
    container = storage.BlobContainer(
        f"{name}-data",
        container_name=CONTAINER,
        account_name=account.name,
        resource_group_name=group,
        public_access=storage.PublicAccess.NONE,
        opts=kept,
    )
    return account, container


def nodes_alone(subnet: pulumi.Input[str]) -> storage.NetworkRuleSetArgs:
    """Rules of an account that admit only the nodes' subnet, by its service endpoint."""
    return storage.NetworkRuleSetArgs(
        default_action=storage.DefaultAction.DENY,
        bypass="None",
        virtual_network_rules=[
            storage.VirtualNetworkRuleArgs(virtual_network_resource_id=subnet, action=storage.Action.ALLOW)
        ],
    )

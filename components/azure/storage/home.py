"""The file system for small files: code, environments, notebooks."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_azure_native import storage

from gpucluster.components.azure.network import Network
from gpucluster.components.azure.storage.cluster_bucket import node_subnet_rules
from gpucluster.components.azure.storage.storage import files_volume
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.shared.file_systems import HomePlan

_SHARE: Final = "home"


class Home(pulumi.ComponentResource):
    """Outputs: account_name, share_name. Claims bind to `volume`."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: HomePlan,
        *,
        account_name: str,
        group: pulumi.Input[str],
        network: Network,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """account_name: unique in all of Azure."""
        super().__init__("gpucluster:azure:Home", name, {}, opts)
        account = storage.StorageAccount(
            f"{name}-account",
            account_name=account_name,
            resource_group_name=group,
            kind="FileStorage",
            sku=storage.SkuArgs(name="Premium_LRS"),
            # NFS does not use HTTPS: it is admitted only from the nodes' subnet, without any key.
            enable_https_traffic_only=False,
            allow_shared_key_access=False,
            allow_blob_public_access=False,
            minimum_tls_version="TLS1_2",
            network_rule_set=node_subnet_rules(network.nodes_id),
            # Its share is deleted with it.
            opts=pulumi.ResourceOptions(parent=self, protect=plan.protect),
        )
        share = storage.FileShare(
            f"{name}-files",
            share_name=_SHARE,
            account_name=account.name,
            resource_group_name=group,
            enabled_protocols="NFS",
            root_squash="NoRootSquash",
            share_quota=plan.capacity_gib,
            opts=pulumi.ResourceOptions(parent=self, protect=plan.protect),
        )
        self.volume = files_volume(
            resource_group=group,
            account=account.name,
            share=_SHARE,
            capacity_gib=max(1, int(plan.expected_gib)),
            after=[share],
        )
        self.register_outputs({"accountName": account.name, "shareName": share.name})

"""Shared storage without a file system: a blob container, which nodes mount with blobfuse."""

from __future__ import annotations

import pulumi

from gpucluster.components.azure.control_plane.control_plane import ControlPlane
from gpucluster.components.azure.control_plane.identity import granted
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.storage.private_container import CONTAINER, nodes_alone, private_container
from gpucluster.components.azure.storage.volumes import blob_volume
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.shared.storage.buckets import BucketPlan


class BlobStorage(pulumi.ComponentResource):
    """Outputs: account_name. Claims bind to `volume`.

    It is mounted once per node, by the identity of all nodes: any pod may mount the claim, whatever its service
    account. With a pod's own identity, every pod of a node would have its own mount, with the files of all of them in
    one folder, and need a federated credential for its service account. Sources: kubernetes-sigs/blob-csi-driver
    0744a60, pkg/blob/nodeserver.go (tmpPath) and docs/workload-identity-static-pv-mount.md; Azure/azure-storage-fuse
    issue 143.
    """

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: BucketPlan,
        *,
        account_name: str,
        subscription: str,
        group: pulumi.Input[str],
        network: Network,
        control_plane: ControlPlane,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:Storage", name, {}, opts)
        account, container = private_container(
            name,
            account_name=account_name,
            group=group,
            network_rules=nodes_alone(network.nodes_id),
            expected_gib=str(plan.usable_gib),
            protect=plan.protect,
            parent=self,
        )
        # Source: kubernetes-sigs/blob-csi-driver 0744a60, deploy/example/blobfuse-mi/README.md.
        use = granted(
            f"{name}-use",
            "Storage Blob Data Contributor",
            scope=container.id,
            principal=control_plane.kubelet_principal,
            subscription=subscription,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.volume = blob_volume(
            resource_group=group,
            account=account.name,
            container=CONTAINER,
            client_id=control_plane.kubelet_client,
            capacity_gib=plan.usable_gib,
            after=[use],
        )
        self.register_outputs({"accountName": account.name})

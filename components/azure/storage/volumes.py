"""Azure's file systems as volumes of a cluster. Jobs see only the claims, named as on every cloud."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.azure.storage.lustre_driver import DRIVER
from gpucluster.components.kubernetes.objects.volume import Volume


def lustre_volume(
    *,
    file_system: pulumi.Input[str],
    mgs_address: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """An Azure Managed Lustre file system. file_system: its name. mgs_address: of its management server. after:
    includes the driver.

    Source: kubernetes-sigs/azurelustre-csi-driver v0.4.0, docs/examples/pv.yaml.
    """
    return Volume(
        driver=DRIVER,
        handle=file_system,
        attributes={"mgs-ip-address": mgs_address},
        mount_options=["noatime", "flock"],
        capacity_gib=capacity_gib,
        after=after,
    )


def blob_volume(
    *,
    resource_group: pulumi.Input[str],
    account: pulumi.Input[str],
    container: str,
    client_id: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A blob container mounted by blobfuse, with AKS's own driver. client_id: of an identity of the nodes.

    Sources: kubernetes-sigs/blob-csi-driver 0744a60, deploy/example/blobfuse-mi/pv-blobfuse-mi.yaml and
    docs/driver-parameters.md (volumeHandle, fuse2).
    """
    return Volume(
        driver="blob.csi.azure.com",
        handle=pulumi.Output.format("{0}_{1}", account, container),
        attributes={
            "protocol": "fuse2",
            "resourceGroup": resource_group,
            "storageAccount": account,
            "containerName": container,
            "AzureStorageAuthType": "MSI",
            "AzureStorageIdentityClientID": client_id,
        },
        # Jobs run as any user.
        mount_options=["-o allow_other", "--file-cache-timeout-in-seconds=120"],
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )


def files_volume(
    *,
    resource_group: pulumi.Input[str],
    account: pulumi.Input[str],
    share: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A share of Azure Files by NFS, which needs no credentials: the account admits only the nodes' subnet. The driver
    is AKS's own.

    Source: kubernetes-sigs/azurefile-csi-driver, deploy/example/pv-azurefile-nfs.yaml.
    """
    return Volume(
        driver="file.csi.azure.com",
        handle=pulumi.Output.format("{0}_{1}_{2}", resource_group, account, share),
        attributes={
            "resourceGroup": resource_group,
            "storageAccount": account,
            "shareName": share,
            "protocol": "nfs",
        },
        mount_options=["nconnect=8"],
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )

"""Azure's file systems as volumes of a cluster. Jobs see the claims alone, named as on every cloud."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from components.kubernetes.volume import Volume

__all__ = ["files_volume", "lustre_volume"]


def lustre_volume(
    *,
    file_system: pulumi.Input[str],
    mgs: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """An Azure Managed Lustre file system. mgs: address of its management server.

    Source: kubernetes-sigs/azurelustre-csi-driver v0.4.0, docs/static-provisioning.md.
    """
    return Volume(
        driver="azurelustre.csi.azure.com",
        handle=file_system,
        attributes={"mgs-ip-address": mgs},
        mount_options=["noatime", "flock"],
        capacity_gib=capacity_gib,
        after=after,
    )


def files_volume(
    *,
    group: pulumi.Input[str],
    account: pulumi.Input[str],
    share: str,
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A share of Azure Files by NFS, which asks for no key.

    Source: kubernetes-sigs/azurefile-csi-driver, deploy/example/nfs and docs/driver-parameters.md.
    """
    return Volume(
        driver="file.csi.azure.com",
        handle=pulumi.Output.format("{0}#{1}#{2}", group, account, share),
        attributes={"resourceGroup": group, "storageAccount": account, "shareName": share, "protocol": "nfs"},
        mount_options=["nconnect=4", "noresvport", "actimeo=30"],
        capacity_gib=capacity_gib,
        after=after,
    )

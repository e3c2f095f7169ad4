"""Provisioners that create file systems for claims.

Sources: names of the drivers in aws-fsx-csi-driver, aws-fsx-openzfs-csi-driver, GKE pages "Managed Lustre CSI driver"
and "Filestore CSI driver" (with the classes GKE installs), azurelustre-csi-driver, AKS page "Azure Files CSI driver"
(with the classes AKS installs). efs.csi.aws.com only creates directories in an existing file system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_FILESTORE: Final = "a Filestore instance"
_FILES: Final = "a share of Azure Files"

FILE_SYSTEM_DRIVERS: Final[Mapping[str, str]] = {
    "fsx.csi.aws.com": "an FSx for Lustre file system",
    "fsx.openzfs.csi.aws.com": "an FSx for OpenZFS volume or file system",
    "lustre.csi.storage.gke.io": "a Managed Lustre instance",
    "filestore.csi.storage.gke.io": _FILESTORE,
    "azurelustre.csi.azure.com": "an Azure Managed Lustre file system",
    "file.csi.azure.com": _FILES,
}
"""Provisioner -> what each claim of its class creates."""

GIVEN_CLASSES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("standard-rwx", "premium-rwx", "enterprise-rwx", "zonal-rwx"), _FILESTORE),
    **dict.fromkeys(("azurefile", "azurefile-csi", "azurefile-premium", "azurefile-csi-premium"), _FILES),
}
"""Classes that exist in every cluster of their cloud."""

"""The AKS versions of the sandbox if the program requests only a minor version, or none.

Source: a cluster recorded in pulumi/pulumi-azure-native provider/pkg/provider/testdata/recorded/TestProviderUpgrade
(2025-11-21: 1.32 gave 1.32.9 on AKSUbuntu-2204gen2containerd-202511.07.0); NVIDIA/aicr for the image of Ubuntu 24.04.
The sandbox does not check which versions are available today.
"""

from __future__ import annotations

import datetime
import re
from typing import Any, Final

from gpucluster.catalog.kubernetes_versions import kubernetes_versions, minor

DEFAULT: Final = "1.32"
_PATCHES: Final = {"1.32": "1.32.9"}
_IMAGES: Final = {
    "Ubuntu2404": "AKSUbuntu-2404gen2containerd-202606.19.0",
    "Ubuntu": "AKSUbuntu-2204gen2containerd-202511.07.0",
}


def resolved(wish: str, before: str) -> str:
    """The patch version of a cluster or pool that requests `wish`; a matching existing version stays."""
    if wish.count(".") != 1:
        return wish
    return before if before.startswith(f"{wish}.") else _PATCHES.get(wish, f"{wish}.0")


def may_be(version: str) -> bool:
    """Whether AKS may have it: a Kubernetes version, at most one minor version, a preview, after the newest known. The
    table does not contain which old versions remain.
    """
    if not re.fullmatch(r"1\.\d{1,2}(\.\d{1,3})?", version):
        return False
    return minor(version)[1] <= max(minor(known)[1] for known in kubernetes_versions("azure")) + 1


def image_date(image: str) -> datetime.date:
    """The release of a node image, which ends with its year, month and day."""
    year, month, day = re.search(r"(\d{4})(\d{2})\.(\d{2})\.\d+$", image).groups()  # type: ignore[union-attr]
    return datetime.date(int(year), int(month), int(day))


def node_image(sku: Any, version: str) -> str:
    """The image of nodes with this operating system. version: of Kubernetes, which decides what `Ubuntu` means.

    Source: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-os-version.md.
    """
    effective = "Ubuntu2404" if sku in (None, "Ubuntu") and minor(version) >= (1, 35) else str(sku)
    return _IMAGES.get(effective, _IMAGES["Ubuntu"])

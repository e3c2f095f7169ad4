"""The operating system of every node, which drivers, Lustre client and node classes must match. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from gpucluster.components.cluster.versions import KUBERNETES
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.versions import Versions
from gpucluster.core.catalog.kubernetes_versions import minor

Ubuntu = Literal["22.04", "24.04"]


@dataclass(frozen=True, kw_only=True)
class NodeSystem:
    """One for the whole cluster, as the GPU Operator requires. os_sku: of pools. image_family: of Karpenter's machines.

    first, last: minor versions of Kubernetes with which AKS has this system under this name.
    """

    os_sku: str
    image_family: Literal["Ubuntu2204", "Ubuntu2404"]
    first: str
    last: str


SYSTEMS: Final[Mapping[Ubuntu, NodeSystem]] = {
    "22.04": NodeSystem(os_sku="Ubuntu2204", image_family="Ubuntu2204", first="1.25", last="1.36"),
    # `Ubuntu2404` is in no list of this API version (2025-09-01); `Ubuntu` becomes 26.04 with 1.38.
    "24.04": NodeSystem(os_sku="Ubuntu", image_family="Ubuntu2404", first="1.35", last="1.37"),
}
"""AKS supports 22.04 until 2027-06-30.

Sources: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-os-version.md; Azure/AKS release 2026-10-25 (1.38).
"""


def refuse_versions(versions: Versions, planning: Planning[Any]) -> None:
    """Versions with which AKS does not have the system."""
    ubuntu = planning.location.settings.ubuntu
    system = SYSTEMS[ubuntu]
    others = [f"'{name}'" for name in SYSTEMS if name != ubuntu]
    for field, version in (("kubernetes", versions.kubernetes or KUBERNETES), ("nodes", versions.nodes)):
        if version is not None and not minor(system.first) <= minor(version) <= minor(system.last):
            why = f"is {version!r}, but nodes run Ubuntu {ubuntu}, which AKS has from {system.first} to {system.last}"
            fix = f"write another version, or `ubuntu: {others[0]}` for the stack"
            planning.refuse_place(f"versions.{field}", why, fix)

"""What nodes need to mount: the driver of Azure Managed Lustre, and /scratch on local NVMe disks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared

DRIVER: Final = "azurelustre.csi.azure.com"
STARTUP_TAINT: Final = {"key": f"{DRIVER}/agent-not-ready", "effect": "NoSchedule"}
"""Keeps pods off a new node until the driver can mount there and removes the taint.

Source: kubernetes-sigs/azurelustre-csi-driver v0.4.0, docs/driver-parameters.md.
"""

_MANIFESTS: Final = Path(__file__).with_name("manifests")
_IMAGE: Final = "mcr.microsoft.com/oss/v2/kubernetes-csi/azurelustre-csi:v0.4.0"
# Releases of Ubuntu: AKS' name of each, and the Lustre client for its kernels. Source: the same repository, deploy/.
_RELEASES: Final = (
    {"release": "jammy", "system": "Ubuntu2204", "client": "2.15.7", "client_build": "33-g79ddf99"},
    {"release": "noble", "system": "Ubuntu2404", "client": "2.16.1", "client_build": "14-gbc76088"},
)


class LustreDriver(pulumi.ComponentResource):
    """Volumes depend on `ready`. Installed from manifests: its Helm chart is not supported."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: must exist before."""
        super().__init__("gpucluster:azure:LustreDriver", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        objects = manifests(_MANIFESTS / "lustre-csi.yaml", {})
        first = [
            Declared(f"{name}-{part}", manifest, here)
            for part, manifest in zip(("kind", "account", "role", "binding"), objects, strict=True)
        ]
        then = pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(depends_on=first))
        self.ready = [first[0]]
        for release in _RELEASES:
            [nodes] = manifests(_MANIFESTS / "lustre-csi-node.yaml", {"image": _IMAGE, **release})
            self.ready.append(Declared(f"{name}-{release['release']}", nodes, then))
        self.register_outputs({"driver": DRIVER, "version": _IMAGE.rpartition(":")[2]})


PATH: Final = "/scratch"


class Scratch(pulumi.ComponentResource):
    """One RAID0 of a node's local disks, mounted at /scratch on the node; jobs mount this folder. AKS neither stripes
    nor mounts them.
    """

    def __init__(
        self,
        name: str,
        *,
        disks: int,
        pools: Sequence[str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """disks: local NVMe disks of each node of these pools. after: must exist before."""
        super().__init__("gpucluster:azure:Scratch", name, {}, opts)
        [daemon] = manifests(_MANIFESTS / "scratch.yaml", {"disks": str(disks), "pools": list(pools)})
        Declared(f"{name}-daemon", daemon, pulumi.ResourceOptions(parent=self, depends_on=list(after)))
        self.register_outputs({"path": PATH})

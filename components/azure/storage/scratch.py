"""/scratch on machines with local NVMe disks: AKS neither stripes nor mounts them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared

PATH: Final = "/scratch"

_MANIFEST: Final = Path(__file__).parent / "manifests/scratch.yaml"


class Scratch(pulumi.ComponentResource):
    """One RAID0 of a node's local disks, mounted at /scratch on the node; jobs mount this folder."""

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
        [daemon] = manifests(_MANIFEST, {"disks": str(disks), "pools": list(pools)})
        Declared(f"{name}-daemon", daemon, pulumi.ResourceOptions(parent=self, depends_on=list(after)))
        self.register_outputs({"path": PATH})

"""Installs NCCL's fabric plugin on every training node, and the other software of TCPX and TCPXO: `manifests/`.

Each job's runtime adds the receive daemon and NCCL's settings (`fabric_pod.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.components.gcp.fabric.fabric import MARKER, Fabric
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared

_MANIFESTS: Final = Path(__file__).with_name("manifests")
_INSTALLERS: Final = {"RoCE": "nccl-rdma-installer", "TCPX": "nccl-tcpx-installer", "TCPXO": "nccl-tcpxo-installer"}


class FabricPlugin(pulumi.ComponentResource):
    """The installer; with TCPX and TCPXO also the device injector.

    Outputs: plugin and daemon, matching images (no daemon with RoCE).
    """

    plugin: str
    daemon: str | None

    def __init__(
        self,
        name: str,
        fabric: Fabric,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: must exist before the training nodes."""
        super().__init__("gpucluster:gcp:FabricPlugin", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        self.plugin = fabric.release.plugin
        self.daemon = fabric.release.daemon or None
        values = {
            "accelerator": fabric.accelerator,
            "plugin": self.plugin,
            "version": fabric.release.plugin_version,
            "marker": MARKER,
        }
        [installer] = manifests(_MANIFESTS / f"{_INSTALLERS[fabric.kind]}.yaml", values)
        Declared(f"{name}-installer", installer, here)
        if self.daemon:
            [injector] = manifests(_MANIFESTS / "device-injector.yaml", values)
            Declared(f"{name}-injector", injector, here)
        self.register_outputs({"plugin": self.plugin, "daemon": self.daemon})

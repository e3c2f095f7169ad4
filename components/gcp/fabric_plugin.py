"""Puts NCCL's fabric plugin on every training node, and what TCPX and TCPXO need beside it.

The receive daemon runs beside each job, as its runtime says (`fabric_pod.py`), and so do NCCL's settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import ContainerArgs

from gpucluster.components.gcp.device_injector import device_injector
from gpucluster.components.gcp.fabric import Fabric, fabric_nodes
from gpucluster.components.kubernetes.node_daemon import SHELL, node_daemon, privileged_container

__all__ = ["FabricPlugin"]

# Keeps the pod alive after its init container has done the work.
# Source: container-engine-accelerators, every installer.
_PAUSE: Final = "gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830"

_CPU: Final = "150m"

# Opens the node's firewall to TCP, loads the module that lets a network card write into GPU memory, and shows the
# cards' registers (PCI id 1ae0:0084) under /dev/aperture_devices.
# Source: container-engine-accelerators, gpudirect-tcpxo/nccl-tcpxo-installer.yaml.
_PREPARE_TCPXO: Final = """\
mkdir -p /dev/aperture_devices
/sbin/iptables -C INPUT -p tcp -m tcp -j ACCEPT || /sbin/iptables -I INPUT -p tcp -m tcp -j ACCEPT
modprobe import-helper
lspci -nn -D | grep '1ae0:0084' | while read -r card rest; do
  target=/dev/aperture_devices/$card
  mkdir -p "$target"
  umount -R "$target" 2>/dev/null || true
  mount --bind "$(readlink -f "/sys/bus/pci/devices/$card")" "$target"
done
chmod -R a+r /dev/aperture_devices
chmod a+rw /dev/aperture_devices/*/resource*
"""


class FabricPlugin(pulumi.ComponentResource):
    """The installer; with TCPX and TCPXO the device injector too.

    Outputs: plugin and daemon, the images that belong together (no daemon with RoCE).
    """

    plugin: str
    daemon: str | None

    def __init__(
        self,
        name: str,
        fabric: Fabric,
        *,
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: what stands before the training nodes."""
        super().__init__("gpucluster:gcp:FabricPlugin", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        _installer(f"{name}-installer", fabric, labels, after, here)
        if fabric.daemon is not None:
            device_injector(f"{name}-injector", fabric.accelerator, labels=labels, after=after, opts=here)
        self.plugin = fabric.plugin_image
        self.daemon = fabric.daemon_image
        self.register_outputs({"plugin": self.plugin, "daemon": self.daemon})


def _installer(
    name: str,
    fabric: Fabric,
    labels: Mapping[str, str],
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> DaemonSet:
    object_name = "nccl-rdma-installer" if fabric.kind == "RoCE" else f"nccl-{fabric.kind.lower()}-installer"
    first = [_prepare()] if fabric.kind == "TCPXO" else []
    copy, host_paths = _copy_gib() if fabric.kind == "RoCE" else _copy(fabric.kind.lower())
    return node_daemon(
        name,
        object_name=object_name,
        nodes=fabric_nodes(fabric.accelerator),
        init_containers=[
            *first,
            privileged_container(
                object_name,
                fabric.plugin_image,
                command=["/bin/sh", "-c"],
                args=[copy],
                mounts={volume: mount for volume, (_, mount) in host_paths.items()},
                cpu=_CPU,
            ),
        ],
        container=ContainerArgs(name="pause", image=_PAUSE),
        host_paths={volume: path for volume, (path, _) in host_paths.items()},
        labels=labels,
        after=after,
        opts=opts,
    )


def _prepare() -> ContainerArgs:
    return privileged_container(
        "pre-installation", SHELL, command=["nsenter", "-at", "1", "--", "sh", "-c", _PREPARE_TCPXO]
    )


def _copy(folder: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The script that puts plugin and NCCL on the node, and its volumes: name -> (path on the node, in the container).

    Source: container-engine-accelerators, gpudirect-tcpx/nccl-tcpx-installer.yaml and its like for TCPXO.
    """
    script = (
        "set -ex\n"
        "chmod 755 /scripts/container_entry.sh\n"
        "/scripts/container_entry.sh install --install-nccl\n"
        "mkdir -p /usr/local/nvidia/lib64\n"
        f"cp -r /var/lib/{folder}/lib64/. /usr/local/nvidia/lib64\n"
    )
    return script, {"var-lib": ("/var/lib", "/var/lib"), "library": ("/home/kubernetes/bin", "/usr/local")}


def _copy_gib() -> tuple[str, dict[str, tuple[str, str]]]:
    """The same for RoCE. Source: container-engine-accelerators, gpudirect-rdma/nccl-rdma-installer.yaml."""
    library, gib = "/home/kubernetes/bin/nvidia/lib64", "/home/kubernetes/bin/gib"
    script = (
        "set -ex\n"
        "/scripts/container_entry.sh install\n"
        f"cp -r /var/lib/gib/lib64/. /usr/local{library}\n"
        f"cp -r /var/lib/gib/. /usr/local{gib}\n"
    )
    return script, {"library": (library, f"/usr/local{library}"), "gib": (gib, f"/usr/local{gib}")}

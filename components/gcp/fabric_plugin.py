"""Puts NCCL's fabric plugin on every training node, and what TCPX and TCPXO need beside it.

The receive daemon runs beside each job, as its runtime says (`fabric_pod.py`), and so do NCCL's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps import v1 as apps
from pulumi_kubernetes.core import v1 as core

from gpucluster.components.gcp.device_injector import device_injector
from gpucluster.components.gcp.fabric import MARKER, Fabric, fabric_nodes
from gpucluster.components.kubernetes.node_daemon import node_daemon, privileged_container

# Keeps the pod alive after its init container has done the work.
# Source: container-engine-accelerators, every installer.
_PAUSE: Final = "gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830"

_CPU: Final = "150m"

# A file that a job has loaded is replaced and never written over, which would end the job.
_COPY: Final = "cp -r --remove-destination"

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
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: what stands before the training nodes."""
        super().__init__("gpucluster:gcp:FabricPlugin", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        _installer(f"{name}-installer", fabric, after, here)
        if fabric.release.daemon:
            device_injector(f"{name}-injector", fabric.accelerator, after=after, opts=here)
        self.plugin = fabric.release.plugin
        self.daemon = fabric.release.daemon or None
        self.register_outputs({"plugin": self.plugin, "daemon": self.daemon})


def _installer(
    name: str,
    fabric: Fabric,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> apps.DaemonSet:
    object_name = "nccl-rdma-installer" if fabric.kind == "RoCE" else f"nccl-{fabric.kind.lower()}-installer"
    first = [_prepare(fabric)] if fabric.kind == "TCPXO" else []
    copy, host_paths = _copy_gib(fabric) if fabric.kind == "RoCE" else _copy(fabric)
    return node_daemon(
        name,
        object_name=object_name,
        nodes=fabric_nodes(fabric.accelerator),
        init_containers=[
            *first,
            privileged_container(
                object_name,
                fabric.release.plugin,
                command=["/bin/sh", "-c"],
                args=[copy],
                mounts={volume: mount for volume, (_, mount) in host_paths.items()},
                cpu=_CPU,
            ),
        ],
        container=core.ContainerArgs(name="pause", image=_PAUSE),
        host_paths={volume: path for volume, (path, _) in host_paths.items()},
        after=after,
        opts=opts,
    )


def _prepare(fabric: Fabric) -> core.ContainerArgs:
    """By the plugin's image, which brings nsenter alone: all that runs by it is the node's own."""
    return privileged_container(
        "pre-installation", fabric.release.plugin, command=["nsenter", "-at", "1", "--", "sh", "-c", _PREPARE_TCPXO]
    )


def _copy(fabric: Fabric) -> tuple[str, dict[str, tuple[str, str]]]:
    """The script that puts plugin and NCCL on the node, and its volumes: name -> (path on the node, in the container).

    Source: container-engine-accelerators, gpudirect-tcpx/nccl-tcpx-installer.yaml and its like for TCPXO.
    """
    library = "/usr/local/nvidia/lib64"
    script = (
        "set -ex\n"
        f"rm -f {library}/{MARKER}\n"
        "chmod 755 /scripts/container_entry.sh\n"
        "/scripts/container_entry.sh install --install-nccl\n"
        f"mkdir -p {library}\n"
        f"{_COPY} /var/lib/{fabric.kind.lower()}/lib64/. {library}\n"
        f"echo {fabric.release.plugin_version} > {library}/{MARKER}\n"
    )
    return script, {"var-lib": ("/var/lib", "/var/lib"), "library": ("/home/kubernetes/bin", "/usr/local")}


def _copy_gib(fabric: Fabric) -> tuple[str, dict[str, tuple[str, str]]]:
    """The same for RoCE. Source: container-engine-accelerators, gpudirect-rdma/nccl-rdma-installer.yaml."""
    library, gib = "/home/kubernetes/bin/nvidia/lib64", "/home/kubernetes/bin/gib"
    script = (
        "set -ex\n"
        f"rm -f /usr/local{library}/{MARKER}\n"
        "/scripts/container_entry.sh install\n"
        f"{_COPY} /var/lib/gib/lib64/. /usr/local{library}\n"
        f"{_COPY} /var/lib/gib/. /usr/local{gib}\n"
        f"echo {fabric.release.plugin_version} > /usr/local{library}/{MARKER}\n"
    )
    return script, {"library": (library, f"/usr/local{library}"), "gib": (gib, f"/usr/local{gib}")}

"""Puts NCCL's fabric plugin on every training node, and what TCPX and TCPXO need beside it.

The receive daemon runs beside each job; its image is an output here, so that it can only be the one that fits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import DaemonSet
from pulumi_kubernetes.core.v1 import ConfigMap, ContainerArgs
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.gcp.device_injector import device_injector
from components.gcp.fabric import Fabric, fabric_nodes
from components.kubernetes.node_daemon import SHELL, node_daemon, privileged_container

__all__ = ["NCCL_CONFIG", "FabricPlugin"]

NCCL_CONFIG: Final = "nccl-config"

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

# NCCL's settings for TCPX; TCPXO and RoCE bring a script that sets theirs (nccl-env-profile.sh, set_nccl_env.sh).
# Source: container-engine-accelerators, gpudirect-tcpx/README.md, release of 2026-06-22.
_TCPX_SETTINGS: Final[Mapping[str, str]] = {
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_ALGO": "Ring,Tree",
    "NCCL_PROTO": "Simple",
    "NCCL_CROSS_NIC": "0",
    "NCCL_NET_GDR_LEVEL": "PIX",
    "NCCL_P2P_PXN_LEVEL": "0",
    "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME": "eth1,eth2,eth3,eth4",
    "NCCL_GPUDIRECTTCPX_CTRL_DEV": "eth0",
    "NCCL_DYNAMIC_CHUNK_SIZE": "524288",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_P2P_PCI_CHUNKSIZE": "524288",
    "NCCL_P2P_NVL_CHUNKSIZE": "1048576",
    "NCCL_BUFFSIZE": "4194304",
    "NCCL_NSOCKS_PERTHREAD": "4",
    "NCCL_SOCKET_NTHREADS": "1",
    "NCCL_GPUDIRECTTCPX_TX_BINDINGS": "eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177",
    "NCCL_GPUDIRECTTCPX_RX_BINDINGS": "eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191",
    "NCCL_GPUDIRECTTCPX_PROGRAM_FLOW_STEERING_WAIT_MICROS": "500000",
}


class FabricPlugin(pulumi.ComponentResource):
    """The installer; with TCPX and TCPXO the device injector, with TCPX NCCL's settings too.

    Outputs: plugin and daemon, the images that belong together (no daemon with RoCE).
    """

    plugin: str
    daemon: str | None

    def __init__(
        self,
        name: str,
        fabric: Fabric,
        *,
        namespace: pulumi.Input[str],
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespace: where jobs run. after: the training nodes."""
        super().__init__("gpucluster:gcp:FabricPlugin", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        _installer(f"{name}-installer", fabric, labels, after, here)
        if fabric.daemon is not None:
            device_injector(f"{name}-injector", fabric.accelerator, labels=labels, after=after, opts=here)
        if fabric.kind == "TCPX":
            ConfigMap(
                f"{name}-config",
                metadata=ObjectMetaArgs(name=NCCL_CONFIG, namespace=namespace, labels=dict(labels)),
                data=dict(_TCPX_SETTINGS),
                opts=here,
            )
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

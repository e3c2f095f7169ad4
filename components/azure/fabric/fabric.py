"""Requirements of a pod for InfiniBand: all cards of its node, the right to pin memory, and the machine's topology,
which a virtual machine hides. Imports no Pulumi.
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.components.azure.fabric.nd_topology import FOLDER, NAME
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod
from gpucluster.components.kubernetes.nodes.fabric_libraries import LIBRARY_PATH, MOUNT, VOLUME, fabric_libraries
from gpucluster.core.catalog.fabrics import FabricRelease, release_of
from gpucluster.core.catalog.machines import Machine

# NCCL_NET_PLUGIN: no plugin that an image may set for another cloud. With NCCL_NET it also excludes SHARP, reductions
# in the switches: SHARP needs a plugin in the image, with a network of the plugin's own name; if NCCL finds no network
# of this name, it uses TCP.
# Sources: Azure/ai-infrastructure-on-azure 103bb90, infrastructure_validations/aks/NCCL/helm/nccl-test/values.yaml;
# NVIDIA, NCCL user guide, "Environment variables"; NVIDIA/nccl v2.22.3, src/net.cc (ncclNetInit).
_SETTINGS: Final = {
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "NCCL_IB_PCI_RELAXED_ORDERING": "1",
    "NCCL_IB_QPS_PER_CONNECTION": "4",
    "NCCL_IGNORE_CPU_AFFINITY": "1",
    "NCCL_MIN_NCHANNELS": "32",
    "NCCL_NET_PLUGIN": "none",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_PXN_DISABLE": "1",
    "NCCL_SOCKET_IFNAME": "eth0",
}


def infiniband_pod(shape: Machine) -> FabricPod:
    """For PyTorch."""
    release = release_of(shape)
    return FabricPod(
        resources=_cards(shape, release),
        env={**_settings(release), "RDMAV_DRIVERS": "mlx5", "LD_LIBRARY_PATH": LIBRARY_PATH},
        # Without it a container may pin 64 KiB (Azure/aks-rdma-infiniband, website/docs/configurations).
        capabilities=["IPC_LOCK"],
        before=[fabric_libraries(release.mpi, driver="mlx5")],
        volumes=[{"name": VOLUME, "emptyDir": {}}, *_layout(release)],
        mounts=[MOUNT, *_layout_mount(release)],
    )


def mpi_infiniband_pod(shape: Machine) -> FabricPod:
    """For Open MPI, whose image has the libraries."""
    release = release_of(shape)
    return FabricPod(
        resources=_cards(shape, release),
        env=_settings(release),
        capabilities=["IPC_LOCK"],
        volumes=_layout(release),
        mounts=_layout_mount(release),
    )


def _cards(shape: Machine, release: FabricRelease) -> dict[str, str]:
    """The node offers the resource once the cards' driver runs."""
    return {release.waits_for: str(shape.network_cards)}


def _settings(release: FabricRelease) -> dict[str, str]:
    layout = {"NCCL_TOPO_FILE": f"{FOLDER}/{release.topology}"} if release.topology else {}
    return {**_SETTINGS, "NCCL_NET": release.nccl_net, **layout}


def _layout(release: FabricRelease) -> list[dict[str, Any]]:
    return [{"name": NAME, "configMap": {"name": NAME}}] if release.topology else []


def _layout_mount(release: FabricRelease) -> list[dict[str, Any]]:
    return [{"name": NAME, "mountPath": FOLDER, "readOnly": True}] if release.topology else []

"""What a pod needs for InfiniBand: all cards of its node, the right to pin memory, and the machine's layout, which a
virtual machine hides. Imports no Pulumi.
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.nd_topology import FILE, FOLDER, NAME
from gpucluster.components.kubernetes.fabric_libraries import LIBRARY_PATH, MOUNT, VOLUME, fabric_libraries
from gpucluster.components.kubernetes.job_images import MPI
from gpucluster.components.kubernetes.job_pool import FabricPod

__all__ = ["infiniband_pod", "mpi_infiniband_pod"]

# NCCL_NET: a job that finds no InfiniBand ends, instead of going on over TCP. NCCL_NET_PLUGIN: no plugin that an image
# may name for another cloud. Both leave SHARP out, sums in the switches: it comes by a plugin in the image, with a
# network of the plugin's own name, in whose place NCCL takes TCP where there is none.
# Sources: Azure/ai-infrastructure-on-azure 103bb90, infrastructure_validations/aks/NCCL/helm/nccl-test/values.yaml;
# NVIDIA, NCCL user guide, "Environment variables"; NVIDIA/nccl v2.22.3, src/net.cc (ncclNetInit).
_SETTINGS: Final = {
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "NCCL_IB_PCI_RELAXED_ORDERING": "1",
    "NCCL_IB_QPS_PER_CONNECTION": "4",
    "NCCL_IGNORE_CPU_AFFINITY": "1",
    "NCCL_MIN_NCHANNELS": "32",
    "NCCL_NET": "IB",
    "NCCL_NET_PLUGIN": "none",
    "NCCL_P2P_NET_CHUNKSIZE": "524288",
    "NCCL_PXN_DISABLE": "1",
    "NCCL_SOCKET_IFNAME": "eth0",
}


def infiniband_pod(shape: Machine) -> FabricPod:
    """For PyTorch."""
    return FabricPod(
        resources=_cards(shape),
        env={**_settings(shape), "RDMAV_DRIVERS": "mlx5", "LD_LIBRARY_PATH": LIBRARY_PATH},
        # Without it a container may pin 64 KiB (Azure/aks-rdma-infiniband, website/docs/configurations).
        capabilities=["IPC_LOCK"],
        before=[fabric_libraries(MPI, driver="mlx5")],
        volumes=[{"name": VOLUME, "emptyDir": {}}, *_layout(shape)],
        mounts=[MOUNT, *_layout_mount(shape)],
    )


def mpi_infiniband_pod(shape: Machine) -> FabricPod:
    """For Open MPI, whose image has the libraries."""
    return FabricPod(
        resources=_cards(shape),
        env=_settings(shape),
        capabilities=["IPC_LOCK"],
        volumes=_layout(shape),
        mounts=_layout_mount(shape),
    )


def _cards(shape: Machine) -> dict[str, str]:
    return {"rdma/ib": str(shape.network_cards)}


def _settings(shape: Machine) -> dict[str, str]:
    return {**_SETTINGS, **({"NCCL_TOPO_FILE": f"{FOLDER}/{FILE}"} if _is_v5(shape) else {})}


def _layout(shape: Machine) -> list[dict[str, Any]]:
    return [{"name": NAME, "configMap": {"name": NAME}}] if _is_v5(shape) else []


def _layout_mount(shape: Machine) -> list[dict[str, Any]]:
    return [{"name": NAME, "mountPath": FOLDER, "readOnly": True}] if _is_v5(shape) else []


def _is_v5(shape: Machine) -> bool:
    """Whether the layout is known: that of ND H100 v5 and H200 v5, which is one.

    Source: Azure/azhpc-images 8e9d055f, components/setup_sku_customizations.sh.
    """
    return shape.machine_type.endswith("_v5")

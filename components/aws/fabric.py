"""What a pod needs for EFA: all interfaces of its node, and NCCL's plugin for them. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.interfaces import plan_interfaces
from gpucluster.components.kubernetes.fabric_libraries import LIBRARY_PATH, MOUNT, VOLUME, fabric_libraries
from gpucluster.components.kubernetes.job_images import MPI, mirrored
from gpucluster.components.kubernetes.job_pool import FabricPod

__all__ = ["NETWORK_LABELS", "efa_pod", "mpi_efa_pod"]

NETWORK_LABELS: Final = tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3))
"""Labels of EKS nodes, the widest layer first. Source: Amazon EKS user guide, ml-workload-topology."""

_EFA: Final = "vpc.amazonaws.com/efa"

# NCCL_NET_PLUGIN: NCCL looks for libnccl-net.so, and the EFA installer brings libnccl-net-ofi.so alone. NCCL_NET: a job
# that does not find the plugin ends, instead of going on over TCP.
# Sources: awslabs/awsome-distributed-ai, efa-cheatsheet.md; aws/aws-ofi-nccl, the name of its plugin from 1.12 on;
# NVIDIA, NCCL user guide, "Environment variables".
_SETTINGS: Final = {
    "FI_PROVIDER": "efa",
    "NCCL_NET": "Libfabric",
    "NCCL_NET_PLUGIN": "ofi",
    "NCCL_SOCKET_IFNAME": "^docker,lo,veth",
}


def efa_pod(shape: Machine, registry: str | None) -> FabricPod:
    """For PyTorch. registry: mirror of the images, None where they come from where they are published."""
    return FabricPod(
        resources={_EFA: _interfaces(shape)},
        # Huge pages can't be copied when a process forks, as PyTorch's loaders of data do (the same cheatsheet).
        env={
            **_SETTINGS,
            "FI_EFA_USE_HUGE_PAGE": "0",
            "RDMAV_DRIVERS": "efa",
            "LD_LIBRARY_PATH": LIBRARY_PATH,
        },
        before=[
            fabric_libraries(
                mirrored(MPI, registry), driver="efa", plugins="/opt/amazon/ofi-nccl/lib/libnccl-net-ofi.so"
            )
        ],
        volumes=[{"name": VOLUME, "emptyDir": {}}],
        mounts=[MOUNT],
    )


def mpi_efa_pod(shape: Machine) -> FabricPod:
    """For Open MPI, whose image has the plugin. Of 5,128 huge pages on a node with EFA it asks for nearly all.

    Source: Amazon EKS user guide, node-efa.
    """
    return FabricPod(resources={_EFA: _interfaces(shape), "hugepages-2Mi": "5120Mi"}, env=_SETTINGS)


def _interfaces(shape: Machine) -> str:
    """EFA interfaces of a node: those that its launch template makes."""
    return str(sum(interface.kind == "efa-only" for interface in plan_interfaces(shape)))

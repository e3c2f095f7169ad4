"""The node pools of an EKS cluster that jobs can use, and what their pods need for EFA. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from gpucluster.components.aws.planning.plan import AwsClusterPlan
from gpucluster.components.aws.planning.training import plan_interfaces
from gpucluster.components.kubernetes.jobs.fabric_libraries import (
    LIBRARY_PATH,
    MOUNT,
    VOLUME,
    fabric_libraries,
    topology_path,
)
from gpucluster.components.kubernetes.jobs.job_pool import (
    FabricPod,
    JobPool,
    elastic_job_pool,
    mig_job_pool,
    training_job_pool,
)
from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.planning.names import HOSTNAME
from gpucluster.core.catalog.fabrics import FabricRelease, release_of
from gpucluster.core.catalog.machines import Machine


def job_pools(plan: AwsClusterPlan) -> list[JobPool]:
    """/scratch is an emptyDir in all of them, in the kubelet's folder on the RAID0 of the local disks."""
    training, elastic, mig = plan.training, plan.elastic, plan.mig
    labels = network_labels(training.shape)
    return [
        replace(
            training_job_pool(training),
            fabric=efa_pod(training.shape, plan.access.registry),
            mpi_fabric=mpi_efa_pod(training.shape),
            # Kueue places no job on nodes that lack one of these labels.
            topology=labels or (HOSTNAME,),
            near=labels[-1] if labels else None,
        ),
        *([elastic_job_pool(elastic, pool) for pool in elastic.pools] if elastic else []),
        *([mig_job_pool(mig)] if mig else []),
    ]


# NCCL_NET_PLUGIN: NCCL looks for libnccl-net.so, and the EFA installer contains only libnccl-net-ofi.so.
# Sources: awslabs/awsome-distributed-ai, efa-cheatsheet.md; aws/aws-ofi-nccl, the name of its plugin from 1.12 on;
# NVIDIA, NCCL user guide, "Environment variables".
_SETTINGS: Final = {
    "FI_PROVIDER": "efa",
    "NCCL_NET_PLUGIN": "ofi",
    "NCCL_SOCKET_IFNAME": "^docker,lo,veth",
}


def efa_pod(shape: Machine, registry: str | None) -> FabricPod:
    """For PyTorch. registry: mirror of the images, None to pull them from their publishers."""
    release = release_of(shape)
    topology = topology_path(release)
    return FabricPod(
        resources=_interfaces(shape, release),
        # Huge pages can't be copied when a process forks, as PyTorch's data loaders do (the same cheatsheet).
        env={
            **_settings(release),
            **({"NCCL_TOPO_FILE": topology} if topology else {}),
            "FI_EFA_USE_HUGE_PAGE": "0",
            "RDMAV_DRIVERS": "efa",
            "LD_LIBRARY_PATH": LIBRARY_PATH,
        },
        before=[
            fabric_libraries(
                mirrored(release.mpi, registry),
                driver="efa",
                plugins="/opt/amazon/ofi-nccl/lib/libnccl-net-ofi.so",
                topology=release,
            )
        ],
        volumes=[{"name": VOLUME, "emptyDir": {}}],
        mounts=[MOUNT],
    )


def mpi_efa_pod(shape: Machine) -> FabricPod:
    """For Open MPI, whose image has the plugin. It requests half of the 5,128 huge pages of 2 MiB on a node with EFA.

    Source: Amazon EKS user guide, node-efa.
    """
    release = release_of(shape)
    return FabricPod(
        resources={**_interfaces(shape, release), "hugepages-2Mi": "5120Mi"},
        env=_settings(release),
    )


def _settings(release: FabricRelease) -> dict[str, str]:
    return {**_SETTINGS, "NCCL_NET": release.nccl_net}


def _interfaces(shape: Machine, release: FabricRelease) -> dict[str, str]:
    """EFA interfaces of a node: those of its launch template. The node offers the resource once their driver runs."""
    return {release.waits_for: str(sum(interface.kind == "efa-only" for interface in plan_interfaces(shape)))}


def network_labels(shape: Machine) -> tuple[str, ...]:
    """Labels of its EKS nodes, the widest layer first; empty for machines of which EC2 reports no place in the network.

    Source: Amazon EKS user guide, ml-workload-topology.
    """
    return tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in range(1, shape.network_layers + 1))

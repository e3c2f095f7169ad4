"""The node pools of an AKS cluster that jobs can use, and what their pods require. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.planning.pools import PROVISIONING_CLASS, ElasticPlan
from gpucluster.components.azure.settings import TORSET
from gpucluster.components.kubernetes.jobs.fabric_libraries import LIBRARY_PATH, MOUNT, VOLUME, fabric_libraries
from gpucluster.components.kubernetes.jobs.job_pool import (
    FabricPod,
    JobPool,
    elastic_job_pool,
    mig_job_pool,
    training_job_pool,
)
from gpucluster.components.planning.names import ADDONS_TOLERATION, ALL_TAINTS, SCRATCH_PATH
from gpucluster.components.shared.elastic import PoolPlan
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.core.catalog.fabrics import FabricRelease, release_of
from gpucluster.core.catalog.machines import Machine


def job_pools(plan: AzureClusterPlan) -> list[JobPool]:
    """AKS does not label nodes by their position in the fabric, whose scale set is non-blocking: a queue has a topology
    only if other software labels the nodes, because a node without the label gets no jobs.
    """
    shape, elastic, mig = plan.training.shape, plan.elastic, plan.mig
    fabric = has_infiniband(shape.machine_type)
    torsets = fabric and plan.location.settings.torsets
    return [
        replace(
            training_job_pool(plan.training),
            fabric=infiniband_pod(shape) if fabric else None,
            mpi_fabric=mpi_infiniband_pod(shape) if fabric else None,
            # An emptyDir is on the system disk; the local disks are in the node's folder.
            scratch=SCRATCH_PATH if shape.nvme_disks else None,
            topology=(TORSET,) if torsets else (),
            near=TORSET if torsets else None,
        ),
        *([_elastic(elastic, pool) for pool in elastic.pools] if elastic else []),
        *([replace(mig_job_pool(mig), tolerations=[SPOT_TOLERATION] if mig.spot else [])] if mig else []),
    ]


def _elastic(elastic: ElasticPlan, pool: PoolPlan) -> JobPool:
    return replace(
        elastic_job_pool(elastic, pool),
        tolerations=[SPOT_TOLERATION] if "spot" in pool.purchase else [],
        provisioning={"provisioningClassName": PROVISIONING_CLASS} if elastic.engine == "native" else None,
    )


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


NAME: Final = "nccl-topology"
"""Name of the ConfigMap and of the volume."""
FOLDER: Final = "/etc/nccl-topology"

# PCI domain of each GPU, in the order of the cards 0101 to 0108; four pairs on each side of the machine.
_GPUS: Final = ("0001", "0002", "0003", "0008", "0009", "000a", "000b", "000c")
# CPUs of each side: 0 to 47, then 48 to 95; before azhpc-images 992d7759 the file had them the other way round. With
# NCCL_IGNORE_CPU_AFFINITY, NCCL's threads run only on these. Source: NVIDIA/nccl 5067397c, src/graph/topo.cc.
_CPUS: Final = ("00000000,0000ffff,ffffffff", "ffffffff,ffff0000,00000000")
_LINK: Final = 'link_speed="32.0 GT/s PCIe" link_width="16"'
_NO_VENDOR: Final = 'vendor="0x0000" device="0x0000" subsystem_vendor="0x0000" subsystem_device="0x0000"'


def nd_v5_topology() -> str:
    """Topology of GPUs, InfiniBand cards and CPUs of an ND v5 machine, as an NCCL topology file: a bridge for each pair
    of a GPU (class 0302) and a card (class 0207).

    The machine's own PCI tree is flat, so NCCL would pair GPUs with any card. The text is Microsoft's own, byte for
    byte: Azure/azhpc-images 8e9d055f, topology/ndv5-topo.xml. Name and checksum are the release's
    (`gpucluster/core/catalog/fabric_releases.csv`).
    """
    sides: list[str] = []
    each = len(_GPUS) // len(_CPUS)
    for side, cpus in enumerate(_CPUS):
        pairs = "".join(_pair(index) for index in range(side * each, (side + 1) * each))
        sides.append(
            f'  <cpu numaid="{side}" affinity="{cpus}" arch="x86_64" vendor="GenuineIntel" familyid="6" '
            f'modelid="143">\n{pairs}  </cpu>\n'
        )
    return f'<system version="1">\n{"".join(sides)}</system>\n'


def _pair(index: int) -> str:
    gpu, card = f"{_GPUS[index]}:00:00.0", f"{0x0101 + index:04x}:00:00.0"
    return (
        f'    <pci busid="ffff:ff:{index + 1:02x}.0" class="0x060400" {_LINK} {_NO_VENDOR}>\n'
        f'      <pci busid="{gpu}" class="0x030200" {_LINK}/>\n'
        f'      <pci busid="{card}" class="0x020700" {_LINK}/>\n'
        "    </pci>\n"
    )


SPOT: Final = "kubernetes.azure.com/scalesetpriority"
"""Key of the label and the taint that AKS automatically sets on Spot nodes, with the value spot.

Source: AKS documentation, "Add an Azure Spot node pool".
"""

SPOT_TOLERATION: Final = {
    "key": SPOT,
    "operator": "Equal",
    "value": "spot",
    "effect": "NoSchedule",
}

DAEMONS: Final = [ALL_TAINTS]
"""For software on every node, GPU nodes in particular: charts set some tolerations, never all (Azure/AKS 4418)."""
CONTROLLERS: Final = [ADDONS_TOLERATION]
"""For software on any node except GPU nodes."""

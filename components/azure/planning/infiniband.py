"""Requirements and limits of InfiniBand and of the GPU nodes' drivers on Azure. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.mig import MigPlan
from gpucluster.components.azure.settings import FEATURE, FEATURE_NAMESPACE, TORSET
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.elastic import ElasticMachines
from gpucluster.core.catalog.azure import has_infiniband


def report_infiniband(machine_type: str, nodes: int, planning: Planning[Location]) -> None:
    """Notes on the training pool. nodes: that jobs can use.

    GB200 and GB300: Azure/ai-infrastructure-on-azure a01b073, infrastructure_references/aks/README.md.
    """
    if not has_infiniband(machine_type):
        return
    planning.notes.append(
        "InfiniBand without SHARP (reductions in the switches): jobs use NCCL's rings and trees, and figures "
        "published with SHARP, 450 GB/s at 16 GiB, are not promised (docs/jobs.md)"
    )
    settings = planning.location.settings
    apart = "GB200 and GB300 pools in the same subscription need it disabled"
    if settings.infiniband_feature == "waived":
        planning.notes.append(
            f"{FEATURE} is waived and not checked: without it nodes may be on several InfiniBand networks; {apart}"
        )
    else:
        planning.before_up.append(
            f"the subscription must have the feature {FEATURE}, or `up` fails before it creates anything expensive: "
            f"run az feature register --namespace {FEATURE_NAMESPACE} --name {FEATURE} once and wait for Registered; "
            f"{apart}"
        )
    if nodes == 1:
        return
    labelers = "Microsoft's labelers (Azure/ai-infrastructure-on-azure, utilities/aks)"
    planning.notes.append(
        f"queue: Kueue places pods of a job under one leaf switch by the label {TORSET}, which AKS does not set: run "
        f"{labelers} after `up` and for every new node; a node without the label gets no jobs"
        if settings.torsets
        else f"queue: AKS sets no leaf-switch labels; if {labelers} set {TORSET} on all training nodes, write "
        'gpucluster:torsets: "true"'
    )


def report_drivers(machine_type: str, planning: Planning[Location], *others: ElasticMachines | MigPlan | None) -> None:
    """machine_type: of the training pool. others: the other pools.

    Sources: Azure/AKS issue 3507; NVIDIA/gpu-operator v26.3.3, assets/state-driver/0500_daemonset.yaml;
    NVIDIA/gpu-driver-container, nvidia-driver (reload_nvidia_peermem, probe_nvidia_peermem).
    """
    fabric = has_infiniband(machine_type)
    if planning.location.settings.driver == "aks":
        if fabric:
            planning.notes.append(
                "AKS owns the GPU driver: nothing loads nvidia-peermem, without which GPUDirect RDMA may be slow; "
                "measure NCCL between nodes before training"
            )
        return
    planning.notes.append(
        "the operators own GPU and InfiniBand drivers: AKS's own GPU and link checks of nodes do not run"
    )
    found = {pool.shape.machine_type for pool in others if pool is not None}
    single = sorted(machine for machine in found if not has_infiniband(machine))
    if fabric and single:
        planning.notes.append(
            f"{' and '.join(single)} without InfiniBand: the driver container nvidia-peermem-ctr finds no cards there "
            "and may restart every 20 minutes, with ClusterPolicy notReady; GPUs and slices work (docs/inside-aks.md)"
        )

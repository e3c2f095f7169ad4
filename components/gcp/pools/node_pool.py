"""Common settings of all node pools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp.identity import CLOUD_PLATFORM
from gpucluster.components.planning.names import GPU, GPU_PRESENT, POOL
from gpucluster.core.catalog.machines import Machine

# Fields whose change (a label, the trial's duration, the driver of a release) would replace nodes. Sources: gcloud
# reference, container node-pools, --labels ("Updating this label will causes the node(s) to be recreated"); for the
# others, the provider replaces the pool (hashicorp/terraform-provider-google google/services/container/node_config.go,
# ForceNew).
FROZEN: Final = [
    "nodeConfig.resourceLabels",
    "nodeConfig.maxRunDuration",
    "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig",
]

# Source: GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/compute/gke-node-pool.
_SYSCTLS: Final = {"net.ipv4.tcp_rmem": "4096 87380 16777216", "net.ipv4.tcp_wmem": "4096 16384 16777216"}


def node_config(
    machine_type: str,
    *,
    pool: str,
    disk_type: str,
    root_gib: int,
    account: pulumi.Input[str],
    resource_labels: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> container.NodePoolNodeConfigArgs:
    """Nodes of one pool: the nodes' own account, inaccessible to pods, and verified boot.

    pool: its name for selectors. resource_labels: of its machines in Compute Engine, in addition to the component's.
    more: further arguments, by their names.
    """
    arguments: dict[str, Any] = {"node_labels": {}, **(more or {})}
    return container.NodePoolNodeConfigArgs(
        machine_type=machine_type,
        image_type="COS_CONTAINERD",
        disk_type=disk_type,
        disk_size_gb=root_gib,
        service_account=account,
        oauth_scopes=[CLOUD_PLATFORM],
        labels={POOL: pool, **arguments.pop("node_labels")},
        resource_labels=resource_labels,
        # Otherwise pods could read the credentials of their node.
        workload_metadata_config=container.NodePoolNodeConfigWorkloadMetadataConfigArgs(mode="GKE_METADATA"),
        metadata={"disable-legacy-endpoints": "true"},
        shielded_instance_config=container.NodePoolNodeConfigShieldedInstanceConfigArgs(
            enable_secure_boot=True, enable_integrity_monitoring=True
        ),
        gvnic=container.NodePoolNodeConfigGvnicArgs(enabled=True),
        kubelet_config=container.NodePoolNodeConfigKubeletConfigArgs(insecure_kubelet_readonly_port_enabled="FALSE"),
        **arguments,
    )


def gpu_config(shape: Machine, *, partition: str | None = None, driver: str = "DEFAULT") -> dict[str, Any]:
    """Additional arguments of GPU nodes, for `more`: GPUs with GKE's driver, the GPU taint, the disks as one.

    partition: size of the slices of every GPU. driver: the branch of GKE's driver.
    """
    return {
        "node_labels": {GPU_PRESENT: "true"},
        "guest_accelerators": [
            container.NodePoolNodeConfigGuestAcceleratorArgs(
                type=shape.gke_gpu,
                count=shape.gpus,
                gpu_partition_size=partition,
                # If not set, every preview shows a difference (hashicorp/terraform-provider-google 23248).
                gpu_driver_installation_config=(
                    container.NodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfigArgs(
                        gpu_driver_version=driver
                    )
                ),
            )
        ],
        # GKE adds it automatically; set here, it shows no difference.
        "taints": [container.NodePoolNodeConfigTaintArgs(key=GPU, value="present", effect="NO_SCHEDULE")],
        # One RAID0 for emptyDir, images and logs.
        "ephemeral_storage_local_ssd_config": (
            container.NodePoolNodeConfigEphemeralStorageLocalSsdConfigArgs(local_ssd_count=shape.nvme_disks)
            if shape.nvme_disks
            else None
        ),
        "linux_node_config": container.NodePoolNodeConfigLinuxNodeConfigArgs(sysctls=_SYSCTLS),
    }


def flex_start(hours: int) -> dict[str, Any]:
    """Additional arguments of nodes that start when capacity is available and are deleted after these hours."""
    return {
        "flex_start": True,
        "max_run_duration": f"{hours * 3600}s",
        "reservation_affinity": container.NodePoolNodeConfigReservationAffinityArgs(
            consume_reservation_type="NO_RESERVATION"
        ),
    }


def in_place_upgrades(*, flex_start: bool) -> container.NodePoolUpgradeSettingsArgs | None:
    """Upgrades that replace nodes one by one in place: there is no spare node of this kind to surge to.

    None for flex-start nodes, of which GKE replaces none: it sets the strategy SHORT_LIVED, which the provider does not
    accept, so that another one would be a difference in every preview. Sources: Kubernetes Engine API,
    NodePoolUpdateStrategy; terraform-google-modules/terraform-google-kubernetes-engine pull request 2352;
    crossplane-contrib/provider-upjet-gcp issue 1028.
    """
    if flex_start:
        return None
    return container.NodePoolUpgradeSettingsArgs(strategy="SURGE", max_surge=0, max_unavailable=1)


def pool_autoscaling(most: int, *, least: int = 0, anywhere: bool = True) -> container.NodePoolAutoscalingArgs:
    """A pool that GKE scales between these limits. anywhere: in any zone with capacity, else evenly over zones."""
    return container.NodePoolAutoscalingArgs(
        total_min_node_count=least,
        total_max_node_count=most,
        location_policy="ANY" if anywhere else "BALANCED",
    )

"""One file per priced resource, imported when the first resource of its cloud is priced."""

from __future__ import annotations

from importlib import import_module
from typing import Final

__all__ = ["MODULES", "load"]

MODULES: Final[dict[str, tuple[str, ...]]] = {
    "aws": (
        "aws_autoscaling_group",
        "aws_capacity_reservation",
        "aws_ebs_volume",
        "aws_ec2_instance",
        "aws_ecs_service",
        "aws_efs",
        "aws_eip",
        "aws_eks_addon",
        "aws_eks_cluster",
        "aws_eks_node_group",
        "aws_event_target",
        "aws_fsx_lustre",
        "aws_internet_gateway",
        "aws_kms_key",
        "aws_log_group",
        "aws_nat_gateway",
        "aws_prometheus",
        "aws_s3_bucket",
        "aws_sqs_queue",
        "aws_vpc_endpoint",
    ),
    "azure-native": (
        "azure_agent_pool",
        "azure_aks_cluster",
        "azure_capacity_reservation",
        "azure_disk",
        "azure_grafana",
        "azure_key",
        "azure_lustre",
        "azure_network",
        "azure_storage",
        "azure_virtual_machine",
    ),
    "gcp": (
        "gcp_address",
        "gcp_bucket",
        "gcp_disk",
        "gcp_filestore",
        "gcp_gke_cluster",
        "gcp_gke_node_pool",
        "gcp_instance",
        "gcp_instance_group",
        "gcp_kms_key",
        "gcp_lustre",
        "gcp_redis",
        "gcp_reservation",
        "gcp_router_nat",
        "gcp_sql",
    ),
    "kubernetes": (
        "gke_compute_class",
        "helm_release",
        "karpenter_node_pool",
        "kubernetes_objects",
        "kubernetes_workloads",
        "prometheus_storage",
    ),
}
"""Package of the type tokens -> the files with handlers for them."""


def load(package: str) -> None:
    """Import the handlers of a package, which registers them; nothing where there are none."""
    for name in MODULES.get(package, ()):
        import_module(f"{__name__}.{name}")

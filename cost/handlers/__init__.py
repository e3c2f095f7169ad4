"""One file per priced resource. Importing this package registers every handler."""

from __future__ import annotations

from cost.handlers import (
    aws_capacity_reservation,
    aws_ebs_volume,
    aws_ec2_instance,
    aws_eip,
    aws_eks_addon,
    aws_eks_cluster,
    aws_eks_node_group,
    aws_event_target,
    aws_fsx_lustre,
    aws_kms_key,
    aws_log_group,
    aws_nat_gateway,
    aws_s3_bucket,
    aws_sqs_queue,
    aws_vpc_endpoint,
    helm_release,
    karpenter_node_pool,
    kubernetes_objects,
    kubernetes_workloads,
    prometheus_storage,
)

__all__ = [
    "aws_capacity_reservation",
    "aws_ebs_volume",
    "aws_ec2_instance",
    "aws_eip",
    "aws_eks_addon",
    "aws_eks_cluster",
    "aws_eks_node_group",
    "aws_event_target",
    "aws_fsx_lustre",
    "aws_kms_key",
    "aws_log_group",
    "aws_nat_gateway",
    "aws_s3_bucket",
    "aws_sqs_queue",
    "aws_vpc_endpoint",
    "helm_release",
    "karpenter_node_pool",
    "kubernetes_objects",
    "kubernetes_workloads",
    "prometheus_storage",
]

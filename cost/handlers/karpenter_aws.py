"""What a Karpenter pool has on AWS beside its machines: the disks of its EC2NodeClass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.disks import disk_lines, optional_number
from gpucluster.cost.handlers.ebs import Disk, default_root
from gpucluster.cost.handlers.karpenter_cloud import KarpenterCloud
from gpucluster.cost.handlers.karpenter_quantity import gib
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.subject import Subject

__all__ = ["KARPENTER", "disks", "region_of_zone"]


def disks(node_class: Subject, machine: str, count: Count, region: str) -> Iterator[CostLine]:
    """EBS volumes of `spec.blockDeviceMappings`."""
    del machine  # every machine has the disks of its class
    mappings = node_class.items("spec", "blockDeviceMappings")
    if not mappings:
        yield from default_root(node_class, count, region=region)
    for index in range(len(mappings)):
        path = ("spec", "blockDeviceMappings", index, "ebs")
        disk = Disk(
            node_class.text(*path, "volumeType", default="gp3"),
            gib(node_class.text(*path, "volumeSize"), "volumeSize"),
            optional_number(node_class, *path, "iops"),
            optional_number(node_class, *path, "throughput"),
        )
        yield from disk_lines(node_class, disk, count, what="data disks" if index else "root disks", region=region)


def region_of_zone(zone: str) -> str | None:
    """us-east-1a lies in us-east-1; None where the name does not tell."""
    return zone[:-1] if zone[-1:].isalpha() else None


KARPENTER: Final = KarpenterCloud(
    "karpenter.k8s.aws",
    "aws",
    "aws:eks/cluster:Cluster",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    region_of_zone,
    disks,
)

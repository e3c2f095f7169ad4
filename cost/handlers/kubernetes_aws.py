"""The disks of a Karpenter pool on AWS, by its EC2NodeClass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog import aws_regions
from gpucluster.cost.handlers.aws_storage import Disk, default_root
from gpucluster.cost.handlers.disks import disk_lines, optional_number
from gpucluster.cost.handlers.kubernetes_clouds import KubernetesCloud, gib
from gpucluster.cost.pricing.model import CostLine, Count
from gpucluster.cost.pricing.pricing import Pricing

_ZONE: Final = r"([a-z]{2}(?:-[a-z]+)+-\d)(?:-[a-z]{3}-\d)?[a-z]"


def disks(node_class: Pricing, machine: str, count: Count, region: str) -> Iterator[CostLine]:
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
    """us-east-1a and use1-az4 lie in us-east-1; the Local Zone us-east-1-atl-2a has separate prices; None if the
    name does not tell.
    """
    named = re.fullmatch(_ZONE, zone)
    region = aws_regions.region_of_zone(zone) if named is None else named[1]
    if region is None:
        return None
    local = aws_regions.local_zone(region, zone)
    return region if local is None else f"{region}/{local}"


def volume(item: Pricing, kind: str, gib: Decimal, region: str) -> Iterator[CostLine]:
    """An EBS volume."""
    yield from disk_lines(item, Disk(kind, gib), Count.fixed(Decimal(1)), what="volume", region=region)


KUBERNETES: Final = KubernetesCloud(
    "karpenter.k8s.aws",
    "aws",
    "aws:eks/cluster:Cluster",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    region_of_zone,
    disks,
    volume,
    zone_keys=("topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"),
)

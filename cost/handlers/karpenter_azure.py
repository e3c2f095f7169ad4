"""The system disks of a Karpenter pool on Azure, by its AKSNodeClass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.handlers.azure_aks import system_disks
from gpucluster.cost.handlers.azure_place import CLUSTER, region_of_zone
from gpucluster.cost.handlers.karpenter import KarpenterCloud
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import Pricing

_DEFAULT_GB: Final = 128
"""`osDiskSizeGB` where none is set (Azure/karpenter-provider-azure, AKSNodeClass v1beta1)."""


def disks(node_class: Pricing, machine: str, count: Count, region: str) -> Iterator[CostLine | NotPriced]:
    """On the machine's own disk where that is large enough, at no charge; else a managed disk for each machine."""
    gib = node_class.number("spec", "osDiskSizeGB", default=_DEFAULT_GB)
    if machine in machines() and gib <= machines()[machine].temp_disk_gib:
        return
    yield from system_disks(node_class, machine, gib, count, region=region)


KARPENTER: Final = KarpenterCloud(
    "karpenter.azure.com",
    "azure",
    CLUSTER,
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
    region_of_zone,
    disks,
    ("node.kubernetes.io/instance-type", "karpenter.azure.com/sku-name"),
)

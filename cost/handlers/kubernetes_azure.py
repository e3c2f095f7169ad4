"""The system disks of a Karpenter pool on Azure, by its AKSNodeClass."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.handlers.azure_aks import system_disks
from gpucluster.cost.handlers.azure_place import CLUSTER, region_of_zone
from gpucluster.cost.handlers.azure_storage import azure_disk_lines
from gpucluster.cost.handlers.kubernetes_clouds import KubernetesCloud
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


def volume(item: Pricing, kind: str, gib: Decimal, region: str) -> Iterator[CostLine]:
    """A managed disk. Classes that AKS brings make it ZRS where the cluster has nodes in several zones (AKS 1.29 and
    later), and LRS else, which is priced here.
    """
    sku = kind if "_" in kind else f"{kind}_LRS"
    yield from azure_disk_lines(item, sku, gib, Count.fixed(Decimal(1)), what="volume", region=region)


KUBERNETES: Final = KubernetesCloud(
    "karpenter.azure.com",
    "azure",
    CLUSTER,
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
    region_of_zone,
    disks,
    volume,
    # Azure Kubernetes Service documentation, storage classes.
    {"default": "StandardSSD", "managed-csi": "StandardSSD", "managed-csi-premium": "Premium"},
    ("node.kubernetes.io/instance-type", "karpenter.azure.com/sku-name"),
)

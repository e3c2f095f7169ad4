"""The disks of a Karpenter pool on Google Cloud, by its GCENodeClass."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.gcp_place import region_of
from gpucluster.cost.handlers.gcp_storage import Disk, google_disk_lines
from gpucluster.cost.handlers.kubernetes_clouds import KubernetesCloud
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import Pricing

_BUNDLED: Final = "local-ssd"
"""Category that machines of the A3 family bring with them; others do not get it by Karpenter at all (#385)."""


def disks(node_class: Pricing, machine: str, count: Count, region: str) -> Iterator[CostLine | NotPriced]:
    """Persistent disks of `spec.disks`: `category`, `sizeGiB`, `provisionedIOPS`, `provisionedThroughput`."""
    del machine  # every machine has the disks of its class
    listed = node_class.items("spec", "disks")
    if not listed:
        yield node_class.not_priced("disks: its node class declares none, not even a boot disk")
    for index in range(len(listed)):
        path = ("spec", "disks", index)
        kind = node_class.text(*path, "category")
        if kind == _BUNDLED:
            continue
        disk = Disk(
            kind,
            node_class.number(*path, "sizeGiB"),
            optional_number(node_class, *path, "provisionedIOPS"),
            optional_number(node_class, *path, "provisionedThroughput"),
        )
        what = "boot disks" if node_class.get(*path, "boot") else "data disks"
        yield from google_disk_lines(node_class, disk, count, what=what, region=region)


def volume(item: Pricing, kind: str, gib: Decimal, region: str) -> Iterator[CostLine]:
    """A persistent disk or Hyperdisk."""
    yield from google_disk_lines(item, Disk(kind, gib), Count.fixed(Decimal(1)), what="volume", region=region)


KUBERNETES: Final = KubernetesCloud(
    "karpenter.k8s.gcp",
    "gcp",
    "gcp:container/cluster:Cluster",
    "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass",
    region_of,
    disks,
    volume,
    # Google Kubernetes Engine documentation, Persistent volumes: classes of the persistent disk driver.
    {"standard": "pd-standard", "standard-rwo": "pd-balanced", "premium-rwo": "pd-ssd"},
)

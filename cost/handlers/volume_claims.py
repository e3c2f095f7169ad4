"""Claims of volumes in Kubernetes, which create a disk of their class in the cloud of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.cost.handlers.kubernetes_clouds import (
    KubernetesCloud,
    cluster_region,
    clusters_behind,
    gib,
    kubernetes_clouds,
)
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.pricing.model import CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

_CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"

_RUNS_ON_NODES: Final = "https://kubernetes.io/docs/concepts/overview/"


@prices("kubernetes:core/v1:PersistentVolumeClaim")
def volume_claim(item: Pricing) -> Iterator[CostLine | Free | NotPriced]:
    """A claim on an existing volume costs nothing; one of a class creates a disk, priced by the class and its size."""
    storage_class = item.get("spec", "storageClassName")
    if storage_class == "" or item.get("spec", "volumeName"):
        yield item.free("a claim on an existing volume", _RUNS_ON_NODES)
        return
    shown = "the default class" if storage_class is None else f"class {storage_class!r}"
    what = f"the claim creates a new volume of {shown}"
    made = _disk(item, storage_class) if isinstance(storage_class, str) else None
    if made is None:
        yield item.not_priced(what)
        return
    cloud, kind, region = made
    size = item.get("spec", "resources", "requests", "storage")
    if not isinstance(size, str):
        raise CannotPrice(f"{what}, whose size is not known")
    yield from cloud.volume(item.on(cloud.provider), kind, gib(size, "spec.resources.requests.storage"), region)


def _disk(item: Pricing, storage_class: str) -> tuple[KubernetesCloud, str, str] | None:
    """Cloud, type of disk, region; None where the plan does not tell."""
    for cloud in kubernetes_clouds():
        behind = clusters_behind(item, cloud)
        regions = {region for cluster in behind if (region := cluster_region(item, cluster, cloud))}
        if len(regions) == 1:
            kind = _declared(item, storage_class) or cloud.classes.get(storage_class)
            return None if kind is None else (cloud, kind, regions.pop())
    return None


def _declared(item: Pricing, storage_class: str) -> str | None:
    """The type of disk that a class of this stack has."""
    for one in item.resources.objects_named(_CLASS, storage_class, provider=item.resource.provider):
        for name in ("type", "skuName", "skuname"):
            found: Any = read(one.inputs, "parameters", name)
            if isinstance(found, str):
                return found
    return None

"""The cloud that a Karpenter pool starts machines in: its node class says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpucluster.catalog.clouds import clouds, module_of
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing


@dataclass(frozen=True)
class KarpenterCloud:
    """What differs between the clouds.

    group: API group of the node class. provider: price book file. cluster, node_class: type tokens.
    region_of_zone: None where the name does not tell. disks: the lines of a node class for a machine type, a number of
    machines and a region. machine_keys, zone_keys: requirements that name machine types and zones.
    """

    group: str
    provider: str
    cluster: str
    node_class: str
    region_of_zone: Callable[[str], str | None]
    disks: Callable[[Pricing, str, Count, str], Iterator[CostLine | NotPriced]]
    machine_keys: tuple[str, ...] = ("node.kubernetes.io/instance-type",)
    zone_keys: tuple[str, ...] = ("topology.kubernetes.io/zone",)


def _clouds(group: str) -> Iterator[KarpenterCloud]:
    """KARPENTER in `karpenter_CLOUD` of every cloud, imported when asked for: first of one that the group names."""
    for cloud in sorted(clouds(), key=lambda name: name not in group):
        if (module := module_of(f"gpucluster.cost.handlers.karpenter_{cloud}")) is not None:
            yield module.KARPENTER


def cloud_of(item: Pricing) -> KarpenterCloud:
    """The cloud of a pool, by `spec.template.spec.nodeClassRef.group`. Raises CannotPrice for one not known here."""
    group = item.text("spec", "template", "spec", "nodeClassRef", "group", default="karpenter.k8s.aws")
    for cloud in _clouds(group):
        if cloud.group == group:
            return cloud
    raise CannotPrice(f"its node class is of {group!r}; priced are {', '.join(cloud.group for cloud in _clouds(''))}")

"""What differs between the clouds in the cost of Kubernetes objects: the machines and disks that pools of Karpenter and
claims of volumes create.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gpucluster.core.catalog.clouds import clouds, module_of
from gpucluster.core.program.resources import Resource
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number


@dataclass(frozen=True)
class KubernetesCloud:
    """What differs between the clouds.

    group: API group of the node class. provider: price book file. cluster, node_class: type tokens.
    region_of_zone: None where the name does not tell. disks: the lines of a node class for a machine type, a number of
    machines and a region. volume: the lines of a volume by its type of disk, GiB and region. classes: class of volumes
    that the cloud's clusters bring -> type of disk. machine_keys, zone_keys: requirements that name machine types and
    zones.
    """

    group: str
    provider: str
    cluster: str
    node_class: str
    region_of_zone: Callable[[str], str | None]
    disks: Callable[[Pricing, str, Count, str], Iterator[CostLine | NotPriced]]
    volume: Callable[[Pricing, str, Decimal, str], Iterator[CostLine]]
    classes: Mapping[str, str] = field(default_factory=dict[str, str])
    machine_keys: tuple[str, ...] = ("node.kubernetes.io/instance-type",)
    zone_keys: tuple[str, ...] = ("topology.kubernetes.io/zone",)


def kubernetes_clouds(group: str = "") -> Iterator[KubernetesCloud]:
    """KUBERNETES in `kubernetes_CLOUD` of every cloud, imported when asked for: first of one that the group names."""
    for cloud in sorted(clouds(), key=lambda name: name not in group):
        if (module := module_of(f"gpucluster.cost.handlers.kubernetes_{cloud}")) is not None:
            yield module.KUBERNETES


def clusters_behind(item: Pricing, cloud: KubernetesCloud) -> Sequence[Resource]:
    """The cluster behind an object's provider, else every cluster of the cloud in the stack."""
    provider = item.resources.get(item.resource.provider)
    behind = provider.dependencies.get("kubeconfig", ()) if provider is not None else ()
    found = [item.resources.get(urn) for urn in behind]
    clusters = [cluster for cluster in found if cluster is not None and cluster.type == cloud.cluster]
    return clusters or item.resources.of_type(cloud.cluster)


def cluster_region(item: Pricing, cluster: Resource, cloud: KubernetesCloud) -> str | None:
    """Where a cluster says that it is, by `location` on Google Cloud."""
    location = cluster.inputs.get("location")
    region = cloud.region_of_zone(location) if isinstance(location, str) else item.resources.region(cluster)
    return region if isinstance(region, str) else None


def gib(quantity: str, what: str) -> Decimal:
    """GiB in a Kubernetes quantity. The clouds bill what they call GB as GiB, so G and T count as Gi and Ti here."""
    for suffix, factor in (("Gi", 1), ("Ti", 1024), ("G", 1), ("T", 1024)):
        if quantity.endswith(suffix):
            return as_number(quantity.removesuffix(suffix), what) * factor
    raise CannotPrice(f"{what} is {quantity!r}, expected a quantity such as 100Gi")

"""What a Karpenter pool may start, and where: `spec.template.spec.requirements`.

Source of the keys: Karpenter v1 NodePool API and its well-known labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.karpenter_cloud import KarpenterCloud
from gpucluster.cost.handlers.whole_machines import machine_price
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing import CannotPrice, Pricing, read
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import is_list

Requirements = Mapping[str, Sequence[str]]
"""Requirement key -> allowed values, of the requirements that list values."""

_CAPACITY: Final = "karpenter.sh/capacity-type"
_REGION: Final = "topology.kubernetes.io/region"


def requirements_of(item: Pricing) -> Requirements:
    """The requirements of a pool. Raises CannotPrice when one is not known before the update."""
    found: dict[str, list[str]] = {}
    for entry in item.items("spec", "template", "spec", "requirements"):
        key, operator, values = read(entry, "key"), read(entry, "operator"), read(entry, "values")
        if UNKNOWN in (key, operator, values) or (is_list(values) and UNKNOWN in values):
            raise CannotPrice("its requirements are not known before the update")
        if operator == "In":
            found[str(key)] = [str(value) for value in (values if is_list(values) else ())]
    return found


def purchase_of(requirements: Requirements) -> str:
    """The dearest way the pool may buy; on demand when it does not say."""
    kinds = requirements.get(_CAPACITY, ["on-demand"])
    if "on-demand" in kinds:
        return "on_demand"
    if "spot" in kinds:
        return "spot"
    raise CannotPrice(f"capacity type {', '.join(kinds)}: billed where the reservation was bought")


def dearest(
    item: Pricing, requirements: Requirements, cloud: KarpenterCloud, region: str, purchase: str
) -> tuple[str, Price, int]:
    """(allowed machine type with the dearest GPU, its price, number of types allowed).

    Karpenter starts cheap machines first, so the dearest type is the safe figure.
    """
    types = next((requirements[key] for key in cloud.machine_keys if requirements.get(key)), None)
    if not types:
        raise CannotPrice(f"its requirements name no machine type ({cloud.machine_keys[0]} In [...])")
    priced = [(name, machine_price(item, name, purchase, region=region)) for name in types]

    def per_gpu(entry: tuple[str, Price]) -> Decimal:
        name, price = entry
        return price.usd / (machines()[name].gpus if name in machines() else 1)

    machine, price = max(priced, key=per_gpu)
    return machine, price, len(priced)


def region_of(item: Pricing, requirements: Requirements, cloud: KarpenterCloud) -> str:
    """The region a pool runs in: that of a required zone, required, or that of its cluster."""
    zones = next((requirements[key] for key in cloud.zone_keys if requirements.get(key)), None)
    if zones and (region := cloud.region_of_zone(zones[0])):
        return region
    if requirements.get(_REGION):
        return requirements[_REGION][0]
    found = {region for cluster in _clusters(item, cloud) if (region := _cluster_region(item, cluster, cloud))}
    if len(found) == 1:
        return found.pop()
    raise CannotPrice(f"its region is not known: require {cloud.zone_keys[0]} or {_REGION} in the pool")


def _clusters(item: Pricing, cloud: KarpenterCloud) -> Sequence[Resource]:
    """The cluster behind the pool's provider, else every cluster of the cloud in the stack."""
    provider = item.resources.get(item.resource.provider)
    behind = provider.dependencies.get("kubeconfig", ()) if provider is not None else ()
    found = [item.resources.get(urn) for urn in behind]
    clusters = [cluster for cluster in found if cluster is not None and cluster.type == cloud.cluster]
    return clusters or item.resources.of_type(cloud.cluster)


def _cluster_region(item: Pricing, cluster: Resource, cloud: KarpenterCloud) -> str | None:
    """Where a cluster says that it is, by `location` on Google Cloud."""
    location = cluster.inputs.get("location")
    region = cloud.region_of_zone(location) if isinstance(location, str) else item.resources.region(cluster)
    return region if isinstance(region, str) else None

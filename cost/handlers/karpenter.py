"""Karpenter pools: machines, and disks of their node class, which determines the cloud.

Source of the keys: Karpenter v1 NodePool API and its well-known labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.kubernetes_clouds import (
    KubernetesCloud,
    cluster_region,
    clusters_behind,
    kubernetes_clouds,
)
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import (
    EXPECTED_GPUS,
    autoscaled,
    expected_gpus,
    machine_hours,
    machine_price,
    or_named,
)
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.model import UNBOUNDED, CostLine, Count, NotPriced, Unbounded
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read


def cloud_of(item: Pricing) -> KubernetesCloud:
    """The cloud of a pool, by `spec.template.spec.nodeClassRef.group`. Raises CannotPrice for one not known here."""
    group = item.text("spec", "template", "spec", "nodeClassRef", "group", default="karpenter.k8s.aws")
    for cloud in kubernetes_clouds(group):
        if cloud.group == group:
            return cloud
    raise CannotPrice(
        f"its node class is of {group!r}; priced are {', '.join(cloud.group for cloud in kubernetes_clouds())}"
    )


def machines_of(item: Pricing, machine: str) -> tuple[Count, str]:
    """(machines of type `machine`, what was assumed)."""
    replicas = item.get("spec", "replicas")
    if replicas is not None:
        count = as_number(replicas, "spec.replicas")
        return Count.fixed(count), ""
    return autoscaled(item, machine, _ceiling(item, machine))


def _ceiling(item: Pricing, machine: str) -> Decimal | Unbounded:
    """Machines that `spec.limits` allow, `unbounded` when nothing limits them."""
    known = machines().get(machine)
    most: list[Decimal] = []
    for key, per_machine in (
        ("nvidia.com/gpu", known.gpus if known else None),
        ("cpu", known.vcpus if known else None),
        ("nodes", 1),
    ):
        limit = item.get("spec", "limits", key)
        if limit is None:
            continue
        if per_machine is None:
            raise CannotPrice(f"{machine} is not in the table of machines, so limit {key} cannot be applied to it")
        most.append(as_number(limit, f"spec.limits.{key}") / per_machine)
    return min(most) if most else UNBOUNDED


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
    item: Pricing, requirements: Requirements, cloud: KubernetesCloud, region: str, purchase: str
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


def region_of(item: Pricing, requirements: Requirements, cloud: KubernetesCloud) -> str:
    """The region a pool runs in: that of a required zone, required, or that of its cluster."""
    zones = next((requirements[key] for key in cloud.zone_keys if requirements.get(key)), None)
    if zones and (region := cloud.region_of_zone(zones[0])):
        return region
    if requirements.get(_REGION):
        return requirements[_REGION][0]
    found = {region for cluster in clusters_behind(item, cloud) if (region := cluster_region(item, cluster, cloud))}
    if len(found) == 1:
        return found.pop()
    raise CannotPrice(f"its region is not known: require {cloud.zone_keys[0]} or {_REGION} in the pool")


@prices("kubernetes:karpenter.sh/v1:NodePool")
def node_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of the most expensive allowed type: none, as expected, and as many as `spec.limits` allow.

    Source of the fields: Karpenter v1 NodePool API. A pool with `spec.replicas` has a fixed number of machines.
    """
    cloud = cloud_of(item)
    item = item.on(cloud.provider)
    requirements = requirements_of(item)
    region, purchase = region_of(item, requirements, cloud), purchase_of(requirements)
    machine, price, types = dearest(item, requirements, cloud, region, purchase)
    count, note = machines_of(item, machine)
    if types > 1:
        note = "; ".join(filter(None, [note, f"priced as {machine}, the most expensive of {types} machine types"]))
    yield machine_hours(item, machine, count, price, autoscaled=count.varies, assumption=note)
    if isinstance(count.ceiling, str) and expected_gpus(item) is None:
        reason = f"average number of machines: the pool has no limit; set its annotation {EXPECTED_GPUS}"
        yield item.not_priced(reason, compute=True)
    yield from _disks(item, cloud, machine, count, region)


def _disks(
    item: Pricing, cloud: KubernetesCloud, machine: str, count: Count, region: str
) -> Iterator[CostLine | NotPriced]:
    """Disks of the pool's machines, from its node class."""
    name = item.text("spec", "template", "spec", "nodeClassRef", "name")
    named = item.resources.objects_named(cloud.node_class, name, provider=item.resource.provider)
    if len(named) != 1:
        yield item.not_priced(f"disks: node class {name!r} is not part of this stack")
        return
    yield from or_named(item, cloud.disks(item.of(named[0]), machine, count, region))

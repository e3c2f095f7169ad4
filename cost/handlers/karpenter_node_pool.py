"""Karpenter pools: machines that come and go, and their disks."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.karpenter_machines import (
    KarpenterCloud,
    cloud_of,
    dearest,
    machines_of,
    purchase_of,
    region_of,
    requirements_of,
)
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import EXPECTED_GPUS, expected_gpus, machine_hours, or_named
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import Pricing


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
    count, said = machines_of(item, machine)
    if types > 1:
        said = "; ".join(filter(None, [said, f"priced as {machine}, the most expensive of {types} machine types"]))
    yield machine_hours(item, machine, count, price, autoscaled=count.varies, assumption=said)
    if isinstance(count.ceiling, str) and expected_gpus(item) is None:
        reason = f"average number of machines: the pool has no limit; set its annotation {EXPECTED_GPUS}"
        yield item.not_priced(reason, compute=True)
    yield from _disks(item, cloud, machine, count, region)


def _disks(
    item: Pricing, cloud: KarpenterCloud, machine: str, count: Count, region: str
) -> Iterator[CostLine | NotPriced]:
    """Disks of the pool's machines, from its node class."""
    name = item.text("spec", "template", "spec", "nodeClassRef", "name")
    named = item.resources.objects_named(cloud.node_class, name, provider=item.resource.provider)
    if len(named) != 1:
        yield item.not_priced(f"disks: node class {name!r} is not part of this stack")
        return
    yield from or_named(item, cloud.disks(item.of(named[0]), machine, count, region))

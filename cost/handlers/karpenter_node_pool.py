"""Karpenter pools on AWS: machines that come and go, and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from cost.handlers.ebs import Disk, default_root, disk_lines, optional_number
from cost.handlers.ec2_machines import plain
from cost.handlers.karpenter_count import EXPECTED_GPUS, expected_gpus, machines_of
from cost.handlers.karpenter_requirements import dearest, purchase_of, region_of, requirements_of
from cost.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from cost.registry import prices
from cost.subject import CannotPrice, Subject, as_number

_NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


@prices("kubernetes:karpenter.sh/v1:NodePool")
def node_pool(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """Machines of the dearest allowed type: none, what is expected, and as many as `spec.limits` allow.

    Source of the fields: Karpenter v1 NodePool API. A pool with `spec.replicas` has a fixed number of machines.
    """
    requirements = requirements_of(ask)
    region, purchase = region_of(ask, requirements), purchase_of(requirements)
    machine, price, types = dearest(ask, requirements, region, purchase)
    count, said = machines_of(ask, machine)
    if types > 1:
        said = "; ".join(filter(None, [said, f"priced as {machine}, the dearest of {types} machine types"]))
    words = f"{machine} {purchase.replace('_', ' ')}"
    hours = count.times(HOURS_PER_MONTH)
    yield ask.line(
        f"{words}, autoscaled" if count.varies else f"{plain(count.expected)} x {words}",
        hours.expected,
        price,
        basis=f"{plain(count.expected)} x {HOURS_PER_MONTH} h",
        assumption=said,
        floor=hours.floor,
        ceiling=hours.ceiling,
    )
    if isinstance(count.ceiling, str) and expected_gpus(ask) is None:
        reason = f"what runs on average: the pool has no limit; set its annotation {EXPECTED_GPUS}"
        yield ask.not_priced(reason, compute=True)
    yield from _disks(ask, count, region)


def _disks(ask: Subject, count: Count, region: str) -> Iterator[CostLine | NotPriced]:
    """Disks of the pool's machines, from its node class."""
    name = ask.text("spec", "template", "spec", "nodeClassRef", "name")
    named = ask.resources.objects_named(_NODE_CLASS, name, provider=ask.resource.provider)
    if len(named) != 1:
        yield ask.not_priced(f"disks: node class {name!r} is not part of this stack")
        return
    node_class = ask.of(named[0])
    mappings = node_class.items("spec", "blockDeviceMappings")
    if not mappings:
        yield from default_root(ask, count, region=region)
    for index in range(len(mappings)):
        path = ("spec", "blockDeviceMappings", index, "ebs")
        disk = Disk(
            node_class.text(*path, "volumeType", default="gp3"),
            _gib(node_class.text(*path, "volumeSize")),
            optional_number(node_class, *path, "iops"),
            optional_number(node_class, *path, "throughput"),
        )
        yield from disk_lines(ask, disk, count, what="data disks" if index else "root disks", region=region)


def _gib(quantity: str) -> Decimal:
    """GiB in a Kubernetes quantity. EBS bills what it calls GB as GiB, so G and T count as Gi and Ti here."""
    for suffix, factor in (("Gi", 1), ("Ti", 1024), ("G", 1), ("T", 1024)):
        if quantity.endswith(suffix):
            return as_number(quantity.removesuffix(suffix), "volumeSize") * factor
    raise CannotPrice(f"volumeSize is {quantity!r}, expected a quantity such as 100Gi")

"""Managed instance groups of Compute Engine: machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gcp_capacity import bought
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines
from gpucluster.cost.handlers.gcp_external_ip import external_addresses
from gpucluster.cost.handlers.gcp_licences import check_licence
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing
from gpucluster.program.resources import Resource

_TEMPLATES: Final = ("gcp:compute/instanceTemplate:InstanceTemplate",
                     "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate")  # fmt: skip
_SCALERS: Final = ("gcp:compute/autoscaler:Autoscaler", "gcp:compute/regionAutoscaler:RegionAutoscaler")
_SCRATCH: Final = "SCRATCH"


GROUPS: Final = ("gcp:compute/instanceGroupManager:InstanceGroupManager",
                 "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager")  # fmt: skip


@prices(*GROUPS)
def group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of its template all month, within the bounds of its autoscaler, and their disks (Compute Engine prices).

    A group has no price of its own. Linux is assumed.
    """
    region = region_of(place_of(item, "zone", "region"))
    template, count, said = machines_of(item)
    machine = short_name(template.text("machineType"))
    spot = template.get("scheduling", "preemptible") or template.get("scheduling", "provisioningModel") == "SPOT"
    said = "; ".join(filter(None, ["Linux", said]))
    lines = bought(item, machine, count, "spot" if spot else "on_demand", region=region, assumption=said)
    yield from or_named(item, _unlicensed(template, lines), compute=True)
    if template.items("guestAccelerators"):
        yield item.not_priced("GPUs of its template: the price book has machines with GPUs only", compute=True)
    for index in range(len(template.items("disks"))):
        yield from or_named(item, _disk(item, template, index, count, region), what=f"disk {index + 1} of its template")
    for _ in range(external_addresses(template)):
        hours = count.times(HOURS_PER_MONTH)
        price = item.price("static-ip-hour", "hour", region=region)
        yield item.line("External IPv4 addresses", hours.expected, price, floor=hours.floor, ceiling=hours.ceiling)


def _unlicensed(template: Pricing, lines: Iterator[CostLine | NotPriced]) -> Iterator[CostLine | NotPriced]:
    for index in range(len(template.items("disks"))):
        check_licence(template, "disks", index, "sourceImage")
    yield from lines


def machines_of(item: Pricing) -> tuple[Pricing, Count, str]:
    """(template of a group's machines, how many there are, what is assumed of that)."""
    return item.of(_template(item)), *_count(item)


def _template(item: Pricing) -> Resource:
    for type_ in _TEMPLATES:
        found = item.resources.referred(item.resource, "versions", type_)
        if found is not None:
            return found
    raise CannotPrice("its instance template is not part of this stack")


def _count(item: Pricing) -> tuple[Count, str]:
    """(machines, what is assumed of them): what the autoscaler allows, else the size of the group."""
    for type_ in _SCALERS:
        for scaler in item.resources.of_type(type_):
            if item.resources.referred(scaler, "target", item.resource.type) is item.resource:
                bounds = item.of(scaler)
                least = bounds.number("autoscalingPolicy", "minReplicas")
                most = bounds.number("autoscalingPolicy", "maxReplicas")
                share = item.assumptions.expected_share
                expected = max(least, most * share)
                return Count(expected, least, most), f"expected_share: {share} of the limit of {scaler.name} runs"
    return Count.fixed(item.number("targetSize", default=0)), ""


def _disk(item: Pricing, template: Pricing, index: int, count: Count, region: str) -> Iterator[CostLine]:
    if template.get("disks", index, "type") == _SCRATCH:
        raise CannotPrice("a local SSD")
    if template.get("disks", index, "diskSizeGb") is None:
        raise CannotPrice("its size is that of its image, which a plan does not show; set diskSizeGb")
    kind = short_name(template.text("disks", index, "diskType", default="pd-standard"))
    size: Decimal = template.number("disks", index, "diskSizeGb")
    yield from google_disk_lines(item, Disk(kind, size), count, what="disks", region=region)

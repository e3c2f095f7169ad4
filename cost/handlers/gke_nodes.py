"""GKE ComputeClasses and the node pools they name: who scales what.

Source of the fields: `cloud.google.com/v1` ComputeClass CRD.

Source of the fields: Kubernetes Engine API v1, NodePool and NodeConfig, as the installed SDK documents them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import has_gpus, machines
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.gcp_capacity import (
    bought,
    open_reservations,
    perhaps_open,
    reserved,
    takes_any,
    target_of,
)
from gpucluster.cost.handlers.gcp_place import is_zone, place_of
from gpucluster.cost.handlers.gcp_storage import Disk, google_disk_lines, local_ssd_lines
from gpucluster.cost.handlers.reserved_capacity import inside
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import UNBOUNDED, CostLine, Count, NotPriced, Unbounded
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read

CLASS = "kubernetes:cloud.google.com/v1:ComputeClass"
NODE_POOL = "gcp:container/nodePool:NodePool"


def pools_of(item: Pricing, compute_class: Resource) -> list[Resource]:
    """The node pools of the stack that a class names in its priorities, in that order."""
    named = dict.fromkeys(_named(compute_class))
    by_name = {pool.inputs.get("name") or pool.name: pool for pool in item.resources.of_type(NODE_POOL)}
    behind = {urn for prop, urns in compute_class.dependencies.items() if prop == "spec" for urn in urns}
    found = [by_name[name] for name in named if name in by_name]
    found += [pool for pool in item.resources.of_type(NODE_POOL) if pool.urn in behind and pool not in found]
    return found


def classes_of(item: Pricing) -> Sequence[Resource]:
    """The classes of the stack that scale the node pool of `ask`."""
    return [found for found in item.resources.of_type(CLASS) if item.resource in pools_of(item, found)]


def _named(compute_class: Resource) -> Iterator[str]:
    spec = compute_class.inputs.get("spec")
    priorities = spec.get("priorities") if is_object(spec) else None
    for rule in priorities if is_list(priorities) else ():
        pools = rule.get("nodepools") if is_object(rule) else None
        for name in pools if is_list(pools) else ():
            if isinstance(name, str):
                yield name


CLUSTER: Final = "gcp:container/cluster:Cluster"

CALENDAR_NODES: Final = "gpucluster-calendar-nodes"
"""Label of nodes whose reservation is one of calendar mode: how many it holds, delivered or not."""

_DEFAULT_MACHINE: Final = "e2-medium"
_DEFAULT_GIB: Final = 100
"""Machine type, and GiB of the pd-balanced boot disk, that GKE takes when nothing is asked (SDK documentation)."""


def purchase_of(item: Pricing, *, queued: bool = False) -> str:
    """How the nodes of `nodeConfig` are paid for when no reservation is."""
    if item.get("nodeConfig", "flexStart") or queued:
        return "flex_start"
    return "spot" if item.get("nodeConfig", "spot") or item.get("nodeConfig", "preemptible") else "on_demand"


def node_lines(
    item: Pricing, count: Count, purchase: str, *, region: str, assumption: str = "", autoscaled: bool = False
) -> Iterator[CostLine | NotPriced]:
    """Machines of `nodeConfig`, the local SSDs they do not bring with them, and boot disks."""
    machine = item.text("nodeConfig", "machineType", default=_DEFAULT_MACHINE)
    affinity = read(item.resource.inputs, "nodeConfig", "reservationAffinity")
    target = target_of(item, "nodeConfig", affinity, "consumeReservationType", "values")
    if target is not None:
        count = Count.fixed(count.expected)  # a reservation holds no more, and is billed for no fewer
        held = optional_number(item, "nodeConfig", "resourceLabels", CALENDAR_NODES)
        if isinstance(target, str) and held is not None and _payer(item, target) != item.urn:
            assumption = f"{target} is one calendar reservation for several node pools: it is counted once"
            yield inside(item, machine, count.expected, target, assumption, spend="committed-elsewhere", region=region)
        else:
            yield from reserved(item, machine, count.expected, target, region=region, calendar=held)
    else:
        lines = bought(item, machine, count, purchase, region=region, autoscaled=autoscaled, assumption=assumption)
        if purchase == "on_demand" and takes_any(item, "nodeConfig", "reservationAffinity", "consumeReservationType"):
            zones = item.items("nodeLocations") if item.resource.type == NODE_POOL else ()
            lines = perhaps_open(lines, [found for zone in zones for found in open_reservations(item, machine, zone)])
        yield from or_named(item, lines, compute=True)
    if item.items("nodeConfig", "guestAccelerators") and not has_gpus("gcp", machine):
        yield item.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)
    yield from _disks(item, machine, count, purchase if target is None else "on_demand", region)


def _payer(item: Pricing, target: str) -> str:
    """URN of the first of the node pools in one calendar reservation, whose line is that of all its machines."""
    others = (pool.urn for pool in item.resources.of_type(NODE_POOL) if _in_calendar(item.of(pool), target))
    return min((item.urn, *others))


def _in_calendar(item: Pricing, target: str) -> bool:
    try:
        labelled = optional_number(item, "nodeConfig", "resourceLabels", CALENDAR_NODES) is not None
        return labelled and target in item.items("nodeConfig", "reservationAffinity", "values")
    except CannotPrice:  # it is named with its own resource
        return False


def _disks(item: Pricing, machine: str, count: Count, purchase: str, region: str) -> Iterator[CostLine | NotPriced]:
    bundled = machine in machines() and machines()[machine].bundled_ssd
    if not bundled:
        yield from local_ssd_lines(item, _local_ssds(item), count, region=region, purchase=purchase)
    disk, assumption = boot_disk(item)
    yield from google_disk_lines(item, disk, count, what="boot disks", region=region, assumption=assumption)


def boot_disk(item: Pricing) -> tuple[Disk, str]:
    """(boot disk of `nodeConfig`, what had to be assumed); `bootDisk` takes the place of `diskSizeGb`, `diskType`."""
    boot = ("nodeConfig", "bootDisk")
    otherwise = item.get("nodeConfig", "diskSizeGb"), item.get("nodeConfig", "diskType")
    gib = item.get(*boot, "sizeGb") or otherwise[0]
    kind = item.get(*boot, "diskType") or otherwise[1]
    missing = [words for words, value in (("size", gib), ("type", kind)) if value is None]
    disk = Disk(
        "pd-balanced" if kind is None else str(kind),
        as_number(_DEFAULT_GIB if gib is None else gib, "size of the boot disk"),
        optional_number(item, *boot, "provisionedIops"),
        optional_number(item, *boot, "provisionedThroughput"),
    )
    shown = f"{disk.gib} GiB {disk.kind}, by GKE's default"
    return disk, f"boot disk without a declared {' and '.join(missing)}: {shown}" if missing else ""


def _local_ssds(item: Pricing) -> Decimal:
    """Local SSDs of 375 GiB on each node, in the three ways to ask for them."""
    for path in (
        ("nodeConfig", "ephemeralStorageLocalSsdConfig", "localSsdCount"),
        ("nodeConfig", "localNvmeSsdBlockConfig", "localSsdCount"),
        ("nodeConfig", "localSsdCount"),
    ):
        number = optional_number(item, *path)
        if number:
            return number
    return Decimal(0)


_ZONES_OF_A_REGION: Final = 3
"""Zones of a pool in a regional cluster, when none is named (GKE documentation, regional clusters)."""


def location_of(item: Pricing) -> str:
    """The zone or region of a pool: its own, else its cluster's. Raises CannotPrice when it is not known."""
    cluster = item.resources.referred(item.resource, "cluster", CLUSTER)
    if item.get("location") is None and cluster is not None:
        return place_of(item.of(cluster), "location")
    return place_of(item, "location")


def zones_of(item: Pricing) -> Decimal:
    """Zones that a pool has nodes in: named by the pool, else by its cluster, else those of its location."""
    zones = item.items("nodeLocations")
    if zones:
        return Decimal(len(zones))
    location = location_of(item)
    found = item.resources.referred(item.resource, "cluster", CLUSTER)
    if found is not None and (named := item.of(found).items("nodeLocations")):
        return Decimal(len(named) + is_zone(location))  # those of a zonal cluster are in addition to its zone
    return Decimal(1 if is_zone(location) else _ZONES_OF_A_REGION)


def nodes_of(item: Pricing, *, flex_start: bool) -> tuple[Count, str]:
    """(nodes as expected, at the least and the most; what was assumed).

    A flex-start pool gets all its nodes or none, so it is taken as full. A pool that a ComputeClass of the stack scales
    is at its least here: what runs on average is counted with the class. Raises CannotPrice when the pool says neither
    how many nodes it has nor within which bounds it scales.
    """
    zones, declared = zones_of(item), _declared(item)
    if item.get("autoscaling") is None:
        if declared is None:
            raise CannotPrice("nodeCount is not set: its number of nodes is unknown")
        return Count.fixed(declared * zones), _spread(item, declared, zones)
    floor, ceiling = _bounds(item, zones)
    name = item.resource.name
    if classes := classes_of(item):
        return Count.fixed(floor), f"nodes of {name} above its {plain(floor)} are counted with {classes[0].name}"
    if isinstance(ceiling, str):
        expected = floor if declared is None else max(declared * zones, floor)
        return Count(expected, floor, ceiling), f"autoscaling of {name} has no maximum: its ceiling is unbounded"
    if declared:
        return Count(min(max(declared * zones, floor), ceiling), floor, ceiling), _spread(item, declared, zones)
    if flex_start:
        return Count(ceiling, floor, ceiling), f"flex-start: all {plain(ceiling)} nodes of {name} are assumed running"
    share = item.assumptions.expected_share
    assumption = f"expected_share: {share} of the maximum of {name} runs on average"
    return Count(max(ceiling * share, floor), floor, ceiling), assumption


def most_of(item: Pricing) -> Decimal | Unbounded:
    """Nodes of a pool at the most. Raises CannotPrice when it says nothing of their number."""
    if item.get("autoscaling") is not None:
        return _bounds(item, zones_of(item))[1]
    return nodes_of(item, flex_start=False)[0].ceiling


def _declared(item: Pricing) -> Decimal | None:
    """Nodes in each zone as declared, None when nothing is."""
    for key in ("nodeCount", "initialNodeCount"):
        if item.get(key) is not None:
            return item.number(key)
    return None


def _bounds(item: Pricing, zones: Decimal) -> tuple[Decimal, Decimal | Unbounded]:
    """(nodes at the least, at the most) of an autoscaled pool."""
    found: dict[str, Decimal | None] = {}
    for end in ("Min", "Max"):
        total, by_zone = f"total{end}NodeCount", f"{end.lower()}NodeCount"
        if item.get("autoscaling", total) is not None:
            found[end] = item.number("autoscaling", total)
        elif item.get("autoscaling", by_zone) is not None:
            found[end] = item.number("autoscaling", by_zone) * zones
    most = found.get("Max")
    return found.get("Min") or Decimal(0), UNBOUNDED if most is None else most


def _spread(item: Pricing, each: Decimal, zones: Decimal) -> str:
    nodes = f"{plain(each)} node{'' if each == 1 else 's'}"
    return f"{item.resource.name}: {nodes} in each of {plain(zones)} zones" if zones > 1 else ""

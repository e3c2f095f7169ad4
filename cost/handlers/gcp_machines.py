"""External IPv4 addresses of machines: those that have one pay for it by the hour, and need no Cloud NAT."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.gcp_capacity import (
    bought,
    check_licence,
    open_reservations,
    perhaps_open,
    reserved,
    takes_any,
    target_of,
)
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.gcp_storage import Disk, google_disk_lines, local_ssd_lines
from gpucluster.cost.handlers.gke_nodes import CLUSTER
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import inside
from gpucluster.cost.handlers.whole_machines import google_status, or_named, plain, say_stopped
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

_USAGE: Final = "public_ipv4_addresses"


def external_addresses(item: Pricing) -> int:
    """External addresses of an instance, or of each machine of an instance template."""
    interfaces = range(len(item.items("networkInterfaces")))
    return sum(len(item.items("networkInterfaces", index, "accessConfigs")) for index in interfaces)


def nodes_are_private(item: Pricing) -> bool | None:
    """Whether the nodes of a GKE pool, or of a cluster's own pool, have internal addresses only; None: not known.

    A pool says it itself, else its cluster does; without a word nodes have external addresses (SDK documentation of
    `NodePool.networkConfig.enablePrivateNodes` and `Cluster.privateClusterConfig`).
    """
    own = item.get("networkConfig", "enablePrivateNodes")
    if own is not None:
        return bool(own)
    found = (
        item.resource if item.resource.type == CLUSTER else item.resources.referred(item.resource, "cluster", CLUSTER)
    )
    return None if found is None else bool(item.of(found).get("privateClusterConfig", "enablePrivateNodes"))


def node_address_lines(item: Pricing, count: Count, purchase: str, *, region: str) -> Iterator[CostLine]:
    """Hours of the external address of each node that has one (VPC price page). Raises CannotPrice for Spot."""
    private = nodes_are_private(item)
    if private:
        return
    usage = (_USAGE,) if private is None else ()
    each = item.assumptions.amount(_USAGE) if usage else Decimal(1)
    if purchase == "spot" and each:
        raise CannotPrice("external addresses of Spot nodes: the price book has those of other machines only")
    hours = count.times(each * HOURS_PER_MONTH)
    yield item.line(
        "External IPv4 addresses",
        hours.expected,
        item.price("static-ip-hour", "hour", region=region),
        basis=f"{plain(count.expected * each)} x {HOURS_PER_MONTH} h",
        assumption=item.assumptions.text(_USAGE) if usage else "",
        floor=hours.floor,
        ceiling=hours.ceiling,
        usage=usage,
    )


_ONE: Final = Count.fixed(Decimal(1))
_PURCHASES: Final = {"STANDARD": "on_demand", "SPOT": "spot", "FLEX_START": "flex_start"}


@prices("gcp:compute/instance:Instance")
def instance(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month, its boot disk and external addresses (Compute Engine and VPC price pages).

    Linux without a licence fee is assumed of an image that does not say otherwise. Of a stopped machine only its disks
    are billed, and capacity that it names and that is reserved outside the stack.
    """
    region = region_of(place_of(item, "zone"))
    status = google_status(item)
    if status == "SUSPENDED":
        yield item.not_priced("it is SUSPENDED: the price book has no price of preserved memory", compute=True)
    elif status == "TERMINATED":
        yield from or_named(item, _stopped(item, region), compute=True)
    else:
        yield from or_named(item, _running(item, region), compute=True)
    yield from _boot_disk(item, region)
    for _ in range(external_addresses(item) if status == "RUNNING" else 0):
        price = item.price("static-ip-hour", "hour", region=region)
        yield item.line("External IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _stopped(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    target = _target(item)
    say_stopped(item, reserved=target is not None)
    if isinstance(target, str):
        yield from reserved(item, short_name(item.text("machineType")), _ONE.expected, target, region=region)


def _target(item: Pricing) -> Resource | str | None:
    affinity = read(item.resource.inputs, "reservationAffinity")
    return target_of(item, "reservationAffinity", affinity, "type", "specificReservation.values")


def _running(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    machine = short_name(item.text("machineType"))
    check_licence(item, "bootDisk", "initializeParams", "image")
    target = _target(item)
    purchase = _purchase(item)
    if target is not None:
        yield from reserved(item, machine, _ONE.expected, target, region=region)
    elif purchase not in _PURCHASES.values():
        yield item.not_priced(f"scheduling.provisioningModel is {purchase!r} without a reservation", compute=True)
    elif held := _open_place(item, machine, purchase):
        note = f"it runs in {held.name}, an open reservation of this stack for the same machine and zone"
        yield inside(item, machine, _ONE.expected, held.name, note, region=region)
    else:
        yield from bought(item, machine, _ONE, purchase, region=region, assumption="Linux")
    if item.items("guestAccelerators") and machine not in machines():
        yield item.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)
    if not (machine in machines() and machines()[machine].bundled_ssd):
        scratch = Decimal(len(item.items("scratchDisks")))
        yield from local_ssd_lines(item, scratch, _ONE, region=region, purchase=purchase)


def _open_place(item: Pricing, machine: str, purchase: str) -> Resource | None:
    """The open reservation that holds an instance: the instances of a zone fill the reservations in the order of URNs,
    so that a plan has one result.
    """
    if purchase != "on_demand" or not takes_any(item, "reservationAffinity", "type"):
        return None
    zone = place_of(item, "zone")
    places = [found for found in sorted(open_reservations(item, machine, zone), key=lambda one: one.urn)
              for _ in range(int(item.of(found).number("specificReservation", "count")))]  # fmt: skip
    alike = sorted(
        one.urn for one in item.resources.of_type(item.resource.type) if _is_alike(item.of(one), machine, zone)
    )
    return places[place] if (place := alike.index(item.resource.urn)) < len(places) else None


def _is_alike(item: Pricing, machine: str, zone: str) -> bool:
    try:
        return (
            (short_name(item.text("machineType")), place_of(item, "zone")) == (machine, zone)
            and _purchase(item) == "on_demand"
            and google_status(item) == "RUNNING"
            and takes_any(item, "reservationAffinity", "type")
        )
    except CannotPrice:  # it is named with its own resource
        return False


def _purchase(item: Pricing) -> str:
    """How the machine is paid for; the provisioning model itself where no price goes with it."""
    model = item.text("scheduling", "provisioningModel", default="STANDARD")
    if model == "STANDARD" and item.get("scheduling", "preemptible"):
        return "spot"
    return _PURCHASES.get(model, model)


def _boot_disk(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    if item.get("bootDisk", "source") is not None:
        return  # a separate disk
    path = ("bootDisk", "initializeParams")
    if item.get(*path, "size") is None:
        raise CannotPrice("boot disk: its size is that of its image, which a plan does not show; set bootDisk size")
    disk = Disk(short_name(item.text(*path, "type", default="pd-standard")), item.number(*path, "size"))
    yield from google_disk_lines(item, disk, _ONE, what="boot disk", region=region)


TEMPLATES: Final = ("gcp:compute/instanceTemplate:InstanceTemplate",
                    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate")  # fmt: skip
_SCALERS: Final = ("gcp:compute/autoscaler:Autoscaler", "gcp:compute/regionAutoscaler:RegionAutoscaler")
_SCRATCH: Final = "SCRATCH"


GROUPS: Final = ("gcp:compute/instanceGroupManager:InstanceGroupManager",
                 "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager")  # fmt: skip


@prices(*GROUPS)
def group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Machines of its template all month, within the bounds of its autoscaler, and their disks (Compute Engine prices).

    A group has no separate price. Linux is assumed.
    """
    region = region_of(place_of(item, "zone", "region"))
    template, count, assumption = machines_of(item)
    machine = short_name(template.text("machineType"))
    spot = template.get("scheduling", "preemptible") or template.get("scheduling", "provisioningModel") == "SPOT"
    assumption = "; ".join(filter(None, ["Linux", assumption]))
    lines = bought(item, machine, count, "spot" if spot else "on_demand", region=region, assumption=assumption)
    if not spot and takes_any(template, "reservationAffinity", "type"):
        lines = perhaps_open(lines, open_reservations(item, machine, place_of(item, "zone", "region")))
    yield from or_named(item, _unlicensed(template, lines), compute=True)
    if template.items("guestAccelerators"):
        yield item.not_priced("GPUs of its template: the price book has machines with GPUs only", compute=True)
    for index in range(len(template.items("disks"))):
        yield from or_named(
            item, disk_of_template(item, template, index, count, region), what=f"disk {index + 1} of its template"
        )
    for _ in range(external_addresses(template)):
        hours = count.times(HOURS_PER_MONTH)
        price = item.price("static-ip-hour", "hour", region=region)
        yield item.line("External IPv4 addresses", hours.expected, price, floor=hours.floor, ceiling=hours.ceiling)


def _unlicensed(template: Pricing, lines: Iterator[CostLine | NotPriced]) -> Iterator[CostLine | NotPriced]:
    for index in range(len(template.items("disks"))):
        check_licence(template, "disks", index, "sourceImage")
    yield from lines


def machines_of(item: Pricing) -> tuple[Pricing, Count, str]:
    """(template of a group's machines, their number, assumption)."""
    return item.of(_template(item)), *_count(item)


def _template(item: Pricing) -> Resource:
    for type_ in TEMPLATES:
        found = item.resources.referred(item.resource, "versions", type_)
        if found is not None:
            return found
    raise CannotPrice("its instance template is not part of this stack")


def _count(item: Pricing) -> tuple[Count, str]:
    """(machines, assumption): the limits of the autoscaler, else the size of the group."""
    size = item.resource.inputs.get("targetSize")  # an autoscaler goes first, and changes it
    for type_ in _SCALERS:
        for scaler in item.resources.of_type(type_):
            if item.resources.referred(scaler, "target", item.resource.type) is item.resource:
                bounds = item.of(scaler)
                least = bounds.number("autoscalingPolicy", "minReplicas")
                most = bounds.number("autoscalingPolicy", "maxReplicas")
                share = item.assumptions.expected_share
                expected = max(least, most * share)
                return Count(expected, least, most), f"expected_share: {share} of the limit of {scaler.name} runs"
    return Count.fixed(Decimal(0) if size is None else item.number("targetSize")), ""


def disk_of_template(item: Pricing, template: Pricing, index: int, count: Count, region: str) -> Iterator[CostLine]:
    """A disk of each machine of a template. Raises CannotPrice if the template does not show what is billed."""
    if template.get("disks", index, "type") == _SCRATCH:
        raise CannotPrice("a local SSD")
    if template.get("disks", index, "diskSizeGb") is None:
        raise CannotPrice("its size is that of its image, which a plan does not show; set diskSizeGb")
    kind = short_name(template.text("disks", index, "diskType", default="pd-standard"))
    size: Decimal = template.number("disks", index, "diskSizeGb")
    yield from google_disk_lines(item, Disk(kind, size), count, what="disks", region=region)

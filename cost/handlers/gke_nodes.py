"""Nodes of GKE: how many, where, and what each is; shared by node pools and a cluster's default pool.

Source of the fields: Kubernetes Engine API v1, NodePool and NodeConfig, as the installed SDK documents them.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import has_gpus, machines
from gpucluster.cost.handlers.committed import inside
from gpucluster.cost.handlers.compute_class import NODE_POOL
from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.gcp_capacity import bought, reserved, target_of
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines, local_ssd_lines
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number, read

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
    item: Pricing, count: Count, purchase: str, *, region: str, said: str = "", autoscaled: bool = False
) -> Iterator[CostLine | NotPriced]:
    """Machines of `nodeConfig`, the local SSDs they do not bring with them, and boot disks."""
    machine = item.text("nodeConfig", "machineType", default=_DEFAULT_MACHINE)
    affinity = read(item.resource.inputs, "nodeConfig", "reservationAffinity")
    target = target_of(item, "nodeConfig", affinity, "consumeReservationType", "values")
    if target is not None:
        count = Count.fixed(count.expected)  # a reservation holds no more, and is billed for no fewer
        held = optional_number(item, "nodeConfig", "resourceLabels", CALENDAR_NODES)
        if isinstance(target, str) and held is not None and _payer(item, target) != item.urn:
            said = f"{target} is one calendar reservation for several node pools: it is counted once"
            yield inside(item, machine, count.expected, target, said, spend="committed-elsewhere", region=region)
        else:
            yield from reserved(item, machine, count.expected, target, region=region, calendar=held)
    else:
        lines = bought(item, machine, count, purchase, region=region, autoscaled=autoscaled, assumption=said)
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
    disk, said = boot_disk(item)
    yield from google_disk_lines(item, disk, count, what="boot disks", region=region, assumption=said)


def boot_disk(item: Pricing) -> tuple[Disk, str]:
    """(boot disk of `nodeConfig`, what had to be assumed); `bootDisk` takes the place of `diskSizeGb`, `diskType`."""
    boot = ("nodeConfig", "bootDisk")
    gib = item.get(*boot, "sizeGb") or item.get("nodeConfig", "diskSizeGb")
    kind = item.get(*boot, "diskType") or item.get("nodeConfig", "diskType")
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

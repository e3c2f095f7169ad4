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
from gpucluster.cost.subject import CannotPrice, Subject, as_number, read

__all__ = ["CALENDAR_NODES", "CLUSTER", "boot_disk", "node_lines", "purchase_of"]

CLUSTER: Final = "gcp:container/cluster:Cluster"

CALENDAR_NODES: Final = "gpucluster-calendar-nodes"
"""Label of nodes whose reservation is one of calendar mode: how many it holds, delivered or not."""

_DEFAULT_MACHINE: Final = "e2-medium"
_DEFAULT_GIB: Final = 100
"""Machine type, and GiB of the pd-balanced boot disk, that GKE takes when nothing is asked (SDK documentation)."""


def purchase_of(ask: Subject, *, queued: bool = False) -> str:
    """How the nodes of `nodeConfig` are paid for when no reservation is."""
    if ask.get("nodeConfig", "flexStart") or queued:
        return "flex_start"
    return "spot" if ask.get("nodeConfig", "spot") or ask.get("nodeConfig", "preemptible") else "on_demand"


def node_lines(
    ask: Subject, count: Count, purchase: str, *, region: str, said: str = "", autoscaled: bool = False
) -> Iterator[CostLine | NotPriced]:
    """Machines of `nodeConfig`, the local SSDs they do not bring with them, and boot disks."""
    machine = ask.text("nodeConfig", "machineType", default=_DEFAULT_MACHINE)
    affinity = read(ask.resource.inputs, "nodeConfig", "reservationAffinity")
    target = target_of(ask, "nodeConfig", affinity, "consumeReservationType", "values")
    if target is not None:
        count = Count.fixed(count.expected)  # a reservation holds no more, and is billed for no fewer
        held = optional_number(ask, "nodeConfig", "resourceLabels", CALENDAR_NODES)
        if isinstance(target, str) and held is not None and _payer(ask, target) != ask.urn:
            said = f"{target} is one calendar reservation for several node pools: it is counted once"
            yield inside(ask, machine, count.expected, target, said, spend="committed-elsewhere", region=region)
        else:
            yield from reserved(ask, machine, count.expected, target, region=region, calendar=held)
    else:
        lines = bought(ask, machine, count, purchase, region=region, autoscaled=autoscaled, assumption=said)
        yield from or_named(ask, lines, compute=True)
    if ask.items("nodeConfig", "guestAccelerators") and not has_gpus("gcp", machine):
        yield ask.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)
    yield from _disks(ask, machine, count, purchase if target is None else "on_demand", region)


def _payer(ask: Subject, target: str) -> str:
    """URN of the first of the node pools in one calendar reservation, whose line is that of all its machines."""
    others = (pool.urn for pool in ask.resources.of_type(NODE_POOL) if _in_calendar(ask.of(pool), target))
    return min((ask.urn, *others))


def _in_calendar(ask: Subject, target: str) -> bool:
    try:
        labelled = optional_number(ask, "nodeConfig", "resourceLabels", CALENDAR_NODES) is not None
        return labelled and target in ask.items("nodeConfig", "reservationAffinity", "values")
    except CannotPrice:  # it is named with its own resource
        return False


def _disks(ask: Subject, machine: str, count: Count, purchase: str, region: str) -> Iterator[CostLine | NotPriced]:
    bundled = machine in machines() and machines()[machine].bundled_ssd
    if not bundled:
        yield from local_ssd_lines(ask, _local_ssds(ask), count, region=region, purchase=purchase)
    disk, said = boot_disk(ask)
    yield from google_disk_lines(ask, disk, count, what="boot disks", region=region, assumption=said)


def boot_disk(ask: Subject) -> tuple[Disk, str]:
    """(boot disk of `nodeConfig`, what had to be assumed); `bootDisk` takes the place of `diskSizeGb`, `diskType`."""
    boot = ("nodeConfig", "bootDisk")
    gib = ask.get(*boot, "sizeGb") or ask.get("nodeConfig", "diskSizeGb")
    kind = ask.get(*boot, "diskType") or ask.get("nodeConfig", "diskType")
    missing = [words for words, value in (("size", gib), ("type", kind)) if value is None]
    disk = Disk(
        "pd-balanced" if kind is None else str(kind),
        as_number(_DEFAULT_GIB if gib is None else gib, "size of the boot disk"),
        optional_number(ask, *boot, "provisionedIops"),
        optional_number(ask, *boot, "provisionedThroughput"),
    )
    shown = f"{disk.gib} GiB {disk.kind}, by GKE's default"
    return disk, f"boot disk without a declared {' and '.join(missing)}: {shown}" if missing else ""


def _local_ssds(ask: Subject) -> Decimal:
    """Local SSDs of 375 GiB on each node, in the three ways to ask for them."""
    for path in (
        ("nodeConfig", "ephemeralStorageLocalSsdConfig", "localSsdCount"),
        ("nodeConfig", "localNvmeSsdBlockConfig", "localSsdCount"),
        ("nodeConfig", "localSsdCount"),
    ):
        number = optional_number(ask, *path)
        if number:
            return number
    return Decimal(0)

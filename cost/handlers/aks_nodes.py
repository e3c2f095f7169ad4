"""Nodes of AKS: how many, how they are bought, and their system disks; shared by agent pools and a cluster's own pools.

Source of the fields: AgentPool and ManagedClusterAgentPoolProfile, as the installed SDK documents them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.autoscaled import EXPECTED_GPUS
from gpucluster.cost.handlers.azure_addresses import address_hours
from gpucluster.cost.handlers.azure_capacity import machine_lines, purchase_of
from gpucluster.cost.handlers.azure_disks import azure_disk_lines
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.stopped import say_stopped
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import UNBOUNDED, CostLine, Count, NotPriced, Unbounded
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number

_PREMIUM: Final = r"^Standard_[A-Z]+\d+(-\d+)?[a-z]*s"
"""Sizes that take premium disks: an `s` among the letters of their features (Azure documentation, VM naming)."""


def node_lines(item: Pricing, at: tuple[str | int, ...], *, region: str, name: str) -> Iterator[CostLine | NotPriced]:
    """Machines and system disks of the pool at path `at`, which is called `name`."""
    machine = item.text(*at, "vmSize")
    if item.get(*at, "osType") == "Windows":
        raise CannotPrice(f"osType of {name} is Windows: the price book has Linux only")
    count, said = _count(item, at, machine, name)
    purchase = purchase_of(item.get(*at, "scaleSetPriority"))
    group, stopped = (*at, "capacityReservationGroupID"), item.get(*at, "powerState", "code") == "Stopped"
    if not stopped or item.get(*group) is not None:  # a reservation bills its machines, running or not
        yield from machine_lines(item, machine, count, purchase, region=region, group=group, said=said)
    if stopped:
        say_stopped(item, name, reserved=item.get(*group) is not None)
    yield from or_named(item, _disks(item, at, machine, count, region), what=f"system disks of {name}")
    if item.get(*at, "enableNodePublicIP") and not stopped:
        lines = address_hours(item, count, region=region)
        yield from or_named(item, lines, what=f"public addresses of {name}")


def _disks(item: Pricing, at: tuple[str | int, ...], machine: str, count: Count, region: str) -> Iterator[CostLine]:
    kind = item.get(*at, "osDiskType")
    gib = item.number(*at, "osDiskSizeGB", default=0)
    if kind == "Ephemeral":
        return  # on the machine's own disk, which its price includes (AKS documentation, storage concepts)
    if kind is None:
        if machine not in machines():
            why = "AKS uses the machine's own disk if it is large enough, at no charge, and else a managed disk"
            raise CannotPrice(f"osDiskType is not set: {why}; set it to Ephemeral or Managed")
        if gib <= machines()[machine].temp_disk_gib:
            return
    if not gib:
        raise CannotPrice("osDiskSizeGB is not set: AKS chooses the size by the machine's vCPUs; set it")
    yield from system_disks(item, machine, gib, count, region=region)


def system_disks(item: Pricing, machine: str, gib: Decimal, count: Count, *, region: str) -> Iterator[CostLine]:
    """Managed system disks: premium SSDs where the machine takes them. Raises CannotPrice for other machines."""
    if not re.match(_PREMIUM, machine):
        raise CannotPrice(f"{machine} does not support premium disks, and the disk that AKS uses instead is unknown")
    yield from azure_disk_lines(item, "Premium_LRS", gib, count, what="system disks", region=region)


def _count(item: Pricing, at: tuple[str | int, ...], machine: str, name: str) -> tuple[Count, str]:
    """(nodes as expected, at the least and the most; what was assumed)."""
    declared = None if item.get(*at, "count") is None else item.number(*at, "count")
    if not item.get(*at, "enableAutoScaling"):
        if declared is None:
            raise CannotPrice(f"count of {name} is not set: its number of nodes is unknown")
        return Count.fixed(declared), ""
    floor, most = item.number(*at, "minCount", default=0), item.get(*at, "maxCount")
    ceiling: Decimal | Unbounded = UNBOUNDED if most is None else as_number(most, f"maxCount of {name}")
    asked = item.get(*at, "nodeLabels", EXPECTED_GPUS)
    if asked is not None:
        if machine not in machines():
            raise CannotPrice(f"{machine} is not in the table of machines, so GPUs cannot be converted to machines")
        gpus = as_number(asked, f"label {EXPECTED_GPUS}")
        expected = max(gpus / machines()[machine].gpus, floor)
        said = f"expected GPUs of {name}: {plain(gpus)} on average (label {EXPECTED_GPUS})"
    elif declared:
        expected, said = max(declared, floor), ""
    elif isinstance(ceiling, str):
        raise CannotPrice(f"maxCount of {name} is not set: the number of running nodes is unknown")
    else:
        share = item.assumptions.expected_share
        expected, said = (
            max(ceiling * share, floor),
            f"expected_share: {share} of the maximum of {name} runs on average",
        )
    if not isinstance(ceiling, str) and expected > ceiling:
        expected, said = (
            ceiling,
            "; ".join(filter(None, [said, f"more than the maximum of {name}, which counts instead"])),
        )
    return Count(expected, floor, ceiling), said

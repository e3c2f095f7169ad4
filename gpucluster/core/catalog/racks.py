"""Racks of GPUs that share one NVLink domain, `racks.csv`: sold whole or, where a row says so, half; not built by the
components yet.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from gpucluster.core.catalog.tables import rows


@dataclass(frozen=True, kw_only=True)
class Rack:
    """How one cloud sells an accelerator in racks, or in halves of racks.

    gpus, vcpus, memory_gib: of a machine, RAM in GiB. nodes: machines of the rack or the half. architecture: of their
    CPUs.
    quota: its name on Google Cloud and Azure, empty if none is known. way: how it is bought, as text. purchase, sku,
    region: of the price of all its machines together in the price book, sku empty without one.
    """

    cloud: str
    machine_type: str
    accelerator: str
    gpus: int
    nodes: int
    vcpus: int
    memory_gib: int
    architecture: str
    quota: str
    way: str
    purchase: str
    sku: str
    region: str
    source: str
    as_of: str

    @property
    def rack_gpus(self) -> int:
        """GPUs of the rack or the half."""
        return self.nodes * self.gpus

    @property
    def is_half(self) -> bool:
        """Whether the same machines are sold in a larger rack, too."""
        return self.nodes < racks_by_machine()[self.machine_type.lower()][0].nodes


_NUMBERS = ("gpus", "nodes", "vcpus", "memory_gib")


@functools.cache
def racks() -> tuple[Rack, ...]:
    """Every row."""
    return tuple(Rack(**{k: int(v) if k in _NUMBERS else v for k, v in row.items()}) for row in rows("racks"))  # pyright: ignore[reportArgumentType]


def rack_accelerators() -> tuple[str, ...]:
    """Accelerators that are sold in racks only."""
    return tuple(dict.fromkeys(rack.accelerator for rack in racks()))


def racks_of(accelerator: str) -> tuple[Rack, ...]:
    """How each cloud sells an accelerator: whole racks, then halves of the same machine."""
    return tuple(rack for rack in racks() if rack.accelerator == accelerator)


@functools.cache
def racks_by_machine() -> dict[str, tuple[Rack, ...]]:
    """Name of the machine in lower case -> how it is sold, whole racks first."""
    names = dict.fromkeys(rack.machine_type.lower() for rack in racks())
    return {name: tuple(rack for rack in racks() if rack.machine_type.lower() == name) for name in names}


def rack_in_words(accelerator: str) -> str:
    """What one buys, for a reader who knows machines of 8 GPUs. Whole racks of an accelerator are alike on every cloud.

    Sources: the table; NVIDIA DRA driver for GPUs, documentation of ComputeDomain (IMEX); Amazon EKS documentation on
    P6e-GB200 UltraServers.
    """
    sold = racks_of(accelerator)
    rack = sold[0]
    ways = ", ".join(
        f"{one.cloud} {f'also {one.nodes} nodes, half a rack: ' if one.is_half else ''}{one.way}" for one in sold
    )
    return (
        f"{accelerator.upper()} is sold in whole racks of {rack.nodes} nodes x {rack.gpus} GPUs, one NVLink domain of "
        f"{rack.rack_gpus}; the nodes have ARM CPUs, so images of jobs must be for {rack.architecture}; a job reaches "
        f"GPUs of other nodes over NVLink through a ComputeDomain of NVIDIA's DRA driver; sold by: {ways}"
    )

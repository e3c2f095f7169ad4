"""What each cloud sells: one checked row per machine type, with its source and date."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Shape", "elastic_shape", "shape", "shape_named", "shapes", "training_shape"]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One machine type.

    gpu_memory_mib: memory of one GPU as the cloud's API gives it, MiB.
    memory_gib: RAM, GiB. nvme_gb: local NVMe of all disks together, GB.
    fabric: EFA, TCPX, TCPXO, RoCE or none. fabric_gbps: GPU-fabric bandwidth of the node, Gb/s; host_gbps: IP bandwidth
    beside it, Gb/s. network_cards: cards that carry the fabric.
    source, as_of: where the row was read, and the day of that source.
    """

    cloud: str
    machine_type: str
    accelerator: str
    gpus: int
    gpu_memory_mib: int
    vcpus: int
    memory_gib: int
    nvme_disks: int
    nvme_gb: int
    fabric: str
    fabric_gbps: int
    host_gbps: int
    network_cards: int
    source: str
    as_of: str


@functools.cache
def shapes() -> tuple[Shape, ...]:
    """Every row, in the order of preference within a cloud and accelerator."""
    with Path(__file__).with_name("shapes.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_shape(row) for row in csv.DictReader(file))


def _shape(row: dict[str, str]) -> Shape:
    text = {"cloud", "machine_type", "accelerator", "fabric", "source", "as_of"}
    return Shape(**{key: value if key in text else int(value) for key, value in row.items()})  # pyright: ignore[reportArgumentType]


def shape(cloud: str, machine_type: str) -> Shape:
    """The row of one machine type. Raises KeyError when the table has none."""
    for row in shapes():
        if (row.cloud, row.machine_type) == (cloud, machine_type):
            return row
    raise KeyError(f"{machine_type} is not in the table of {cloud} shapes")


def shape_named(machine_type: str | None) -> Shape | None:
    """The row of a machine type, whichever cloud sells it: no two clouds share a name. None where there is none."""
    return next((row for row in shapes() if row.machine_type == machine_type), None)


def training_shape(cloud: str, accelerator: str, fabric_gbps: int) -> Shape:
    """The 8-GPU machine for multi-node training: the slowest fabric that is fast enough, else the fastest there is.

    Raises KeyError when the cloud has no 8-GPU machine with this accelerator.
    """
    rows = [row for row in shapes() if (row.cloud, row.accelerator, row.gpus) == (cloud, accelerator, 8)]
    if not rows:
        raise KeyError(f"no 8-GPU machine with {accelerator} in the table of {cloud} shapes")
    enough = [row for row in rows if row.fabric_gbps >= fabric_gbps]
    return min(enough, key=lambda row: row.fabric_gbps) if enough else max(rows, key=lambda row: row.fabric_gbps)


def elastic_shape(cloud: str, accelerator: str) -> Shape:
    """The smallest machine for single-node GPU work: with this accelerator where there is one, else with another.

    Raises KeyError when the cloud has none.
    """
    rows = [row for row in shapes() if row.cloud == cloud and row.gpus < 8]
    if not rows:
        raise KeyError(f"no machine with fewer than 8 GPUs in the table of {cloud} shapes")
    return min(rows, key=lambda row: (row.accelerator != accelerator, row.gpus))

"""The machine types with accelerators: `machines.csv`, one source per row.

Columns: machine_type; accelerator (GKE's name) and gpus, the included ones; local_ssds (devices of 375 GiB, empty if
optional); gpu_networks (networks a pool adds to the cluster's own for the GPU fabric, including RDMA); mtu (bytes) of
those networks; fabric. The catalog has the same data: this separate table judges what is built from the catalog.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

_FAMILIES: Final = r"a[234]-"
# Compute Engine documentation, "Machine families resource and comparison guide", section "Machine type naming": series,
# class, number of vCPUs, and words; of TPU machines (ct...) the number of chips with a t.
_WITHOUT_A_NUMBER: Final = r"(?!ct)[a-z]\d+[a-z]*-(?:standard|highmem|highcpu)(?!-\d+(?:-[a-z]+)*$)"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One machine type; None for values missing in the table."""

    machine_type: str
    accelerator: str
    gpus: int
    local_ssds: int | None
    gpu_networks: int
    mtu: int | None
    fabric: str

    @property
    def is_rdma(self) -> bool:
        """Whether its fabric is RoCE."""
        return self.fabric == "GPUDirect-RDMA"


@cache
def _table() -> Mapping[str, Machine]:
    text = resources.files("gpucluster.sandbox.clouds.gcp").joinpath("machines.csv").read_text()
    return {
        row["machine_type"]: Machine(
            machine_type=row["machine_type"],
            accelerator=row["accelerator"],
            gpus=int(row["gpus"]),
            local_ssds=int(row["local_ssds"]) if row["local_ssds"] else None,
            gpu_networks=int(row["gpu_networks"]),
            mtu=int(row["mtu"]) if row["mtu"] else None,
            fabric=row["fabric"],
        )
        for row in csv.DictReader(text.splitlines())
    }


def machine(machine_type: Any) -> Machine | None:
    """The row of a machine type, None for one without accelerators or an unknown one."""
    return _table().get(machine_type) if isinstance(machine_type, str) else None


def is_unheard_of(machine_type: str) -> bool:
    """Whether no machine can have this name.

    For a family with all machines in the table, it is none of them, with or without local SSDs. For any other, it has
    no number of vCPUs.
    """
    if re.match(_FAMILIES, machine_type):
        return machine(machine_type.removesuffix("-nolssd")) is None
    return re.match(_WITHOUT_A_NUMBER, machine_type) is not None

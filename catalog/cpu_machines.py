"""Machine types without GPUs for the clusters' own software: `cpu_machines.csv`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.catalog.rows import rows


@dataclass(frozen=True, kw_only=True)
class CpuMachine:
    """One row. memory_gib: RAM, GiB."""

    cloud: str
    machine_type: str
    vcpus: int
    memory_gib: int


@functools.cache
def cpu_machines() -> Mapping[str, CpuMachine]:
    """Every machine type by its name."""
    return {
        row["machine_type"]: CpuMachine(
            cloud=row["cloud"],
            machine_type=row["machine_type"],
            vcpus=int(row["vcpus"]),
            memory_gib=int(row["memory_gib"]),
        )
        for row in rows("cpu_machines")
    }

"""GPU models: `gpus.csv`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.core.catalog.tables import rows


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """One model.

    gpu: its name in the other tables. accelerator: its name in a spec; the H100 of 94 GB is an H100 there.
    name: in words. memory_mib: as reported by the cloud's API, MiB.
    """

    gpu: str
    accelerator: str
    name: str
    memory_mib: int
    source: str
    as_of: str

    @property
    def model(self) -> str:
        """Without its memory and form, e.g. `a100`."""
        return self.gpu.partition("-")[0]


@functools.cache
def gpus() -> Mapping[str, Gpu]:
    """Every model by its name."""
    return {row["gpu"]: Gpu(**{**row, "memory_mib": int(row["memory_mib"])}) for row in rows("gpus")}  # pyright: ignore[reportArgumentType]

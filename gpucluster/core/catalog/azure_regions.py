"""Regions of Azure, including its other clouds: `azure_regions.csv`.

Columns: zones, whether they have availability zones, empty without a source; regions, in ARM's form.

Sources: Azure pages "Azure virtual machine sizes naming conventions" and "Set up InfiniBand on HPC VMs", for the `r`;
"ND H100 v5", "ND H200 v5", "ND A100 v4" and "NC H100 v5 series" for the GPUs.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.tables import rows

_ZONES = {"yes": True, "no": False, "": None}


@functools.cache
def azure_regions() -> Mapping[str, bool | None]:
    """Every region -> whether it has availability zones, None if unknown."""
    found: dict[str, bool | None] = {}
    for row in rows("azure_regions"):
        if row["zones"] not in _ZONES:
            raise row.bad("zones", "write yes, no or nothing")
        found |= dict.fromkeys(row["regions"].split(), _ZONES[row["zones"]])
    return found


INFINIBAND = "InfiniBand"


@functools.cache
def azure_ranges() -> Mapping[str, str]:
    """Every reserved range -> its owner."""
    return {row["range"]: row["kept_by"] for row in rows("azure_ranges")}


_NAME: Final = r"standard_(n[a-z]+?)(\d+)(?:-\d+)?([a-z]*)((?:_[a-z0-9]+)*)"
_VERSION: Final = r"v(\d+)"


@dataclass(frozen=True, kw_only=True)
class Size:
    """A size of the N family: machines with an accelerator.

    series: such as ND; NC and NV are others.
    infiniband: whether it has InfiniBand.
    gpu: the last part of the name, e.g. H100 in `..._noIB_H100_v5`; None without one.
    version: of the series, 1 if the name has none.
    large_memory: whether the name has an `m`, like ND A100 v4 with 80 GB.
    """

    series: str
    vcpus: int
    infiniband: bool
    gpu: str | None
    version: int
    large_memory: bool = False

    @property
    def computes(self) -> bool:
        """Whether its GPUs are for computing: NV is for graphics, NP has no GPU."""
        return self.series.startswith(("ND", "NC"))

    @property
    def trains(self) -> bool:
        """Whether it is meant for multi-node training."""
        return self.series == "ND" or self.infiniband

    @property
    def model(self) -> str | None:
        """Its GPU in the table of GPUs, with the memory that determines its slices; None for a GPU without slices."""
        small = self.series.startswith("NC")
        h100 = "h100-nvl" if small else "h100"
        a100 = "a100-80gb" if self.large_memory or small else "a100-40gb"
        return {"H100": h100, "H200": "h200", "A100": a100}.get(self.gpu or "")


def size_of(name: str) -> Size | None:
    """The size of a name; None for a size without accelerator. Azure compares names case-insensitively."""
    found = re.fullmatch(_NAME, name.lower())
    if found is None:
        return None
    series, vcpus, features, rest = found.groups()
    parts = rest.upper().split("_")[1:]
    versions = [int(number[1]) for part in parts if (number := re.fullmatch(_VERSION, part.lower()))]
    gpus = [part for part in parts if not re.fullmatch(_VERSION, part.lower())]
    version = versions[-1] if versions else 1
    # No ND size name contains the A100 of 40 GB.
    unnamed = "A100" if (series, version) == ("nd", 4) else None
    return Size(
        series=series.upper(),
        vcpus=int(vcpus),
        infiniband="r" in features,
        gpu=gpus[-1] if gpus else unnamed,
        version=version,
        large_memory="m" in features,
    )


def has_infiniband(name: str) -> bool:
    """Whether machines of a size are connected by InfiniBand."""
    size = size_of(name)
    return size is not None and size.infiniband


def infiniband_sizes() -> tuple[str, ...]:
    """Sizes with InfiniBand that a description such as "series N with 8 GPUs" may mean."""
    return tuple(name for name, machine in machines().items() if machine.fabric == "InfiniBand")


DISK_GIB: Final[Mapping[int, int]] = {
    1: 4, 2: 8, 3: 16, 4: 32, 6: 64, 10: 128, 15: 256, 20: 512, 30: 1024, 40: 2048, 50: 4096, 60: 8192, 70: 16384,
    80: 32767,
}  # fmt: skip
"""Number of the class, such as that of P10 -> maximum GiB; in order."""

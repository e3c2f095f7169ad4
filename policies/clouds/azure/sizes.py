"""What the name of an Azure VM size says: `Standard_ND96isr_H100_v5` is series ND with 96 vCPUs and InfiniBand (`r`).

Sources: Azure pages "Azure virtual machine sizes naming conventions" and "Set up InfiniBand on HPC VMs", for the `r`;
"ND H100 v5", "ND H200 v5", "ND A100 v4" and "NC H100 v5 series" for the GPUs; AKS page "Multi-instance GPU node pools".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["INFINIBAND_SIZES", "Size", "size_of"]

_NAME: Final = re.compile(r"standard_(n[a-z]+?)(\d+)(?:-\d+)?([a-z]*)((?:_[a-z0-9]+)*)")
_VERSION: Final = re.compile(r"v(\d+)")
_SLICED: Final = ("A100", "H100", "H200")

INFINIBAND_SIZES: Final = (
    "Standard_ND96isr_H100_v5",
    "Standard_ND96isr_H200_v5",
    "Standard_ND96amsr_A100_v4",
    "Standard_ND96asr_v4",
)
"""Sizes with InfiniBand that a description such as "series N with 8 GPUs" may mean."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """A size of the N family: machines with an accelerator.

    series: such as ND; NC and NV are others.
    infiniband: whether it has InfiniBand.
    gpu: as the name says it last, e.g. H100 in `..._noIB_H100_v5`; None where it does not.
    version: of the series, 1 where the name has none.
    large_memory: whether the name has an `m`, as ND A100 v4 with 80 GB does.
    """

    series: str
    vcpus: int
    infiniband: bool
    gpu: str | None
    version: int
    large_memory: bool = False

    @property
    def computes(self) -> bool:
        """Whether its GPUs are for computing: NV draws, NP has no GPU."""
        return self.series.startswith(("ND", "NC"))

    @property
    def trains(self) -> bool:
        """Whether several of them are bought to train together."""
        return self.series == "ND" or self.infiniband

    @property
    def gpu_memory(self) -> str | None:
        """Its GPU with the memory that tells its slices apart; None for one without slices."""
        nvl = "H100 NVL 94 GB" if self.series.startswith("NC") else "H100 80 GB"
        of_nd = "A100 80 GB" if self.large_memory or self.series.startswith("NC") else "A100 40 GB"
        return {"H100": nvl, "H200": "H200 141 GB", "A100": of_nd}.get(self.gpu or "")

    @property
    def sliceable(self) -> bool:
        """Whether AKS makes MIG slices of its GPUs."""
        return self.gpu in _SLICED


def size_of(name: str) -> Size | None:
    """What a name says; None for a size without accelerator. Azure compares names without regard to case."""
    found = _NAME.fullmatch(name.lower())
    if found is None:
        return None
    series, vcpus, features, rest = found.groups()
    parts = rest.upper().split("_")[1:]
    versions = [int(number[1]) for part in parts if (number := _VERSION.fullmatch(part.lower()))]
    gpus = [part for part in parts if not _VERSION.fullmatch(part.lower())]
    version = versions[-1] if versions else 1
    # The A100 of 40 GB is in the name of no ND size.
    unnamed = "A100" if (series, version) == ("nd", 4) else None
    return Size(
        series=series.upper(),
        vcpus=int(vcpus),
        infiniband="r" in features,
        gpu=gpus[-1] if gpus else unnamed,
        version=version,
        large_memory="m" in features,
    )

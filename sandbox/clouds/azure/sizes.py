"""Properties of machine sizes by their name, and `sizes.csv`: all sizes of the families NC and ND, one source per row,
with the temporary disk (GiB) if it matters.

The catalog has the same data: this separate table judges what is built from the catalog.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib import resources
from typing import Final

_RDMA: Final = r"(?i)standard_[a-z]+\d+[a-z]*r[a-z]*_.*"
_FAMILIES: Final = r"(?i)standard_n[cd]"
# MicrosoftDocs/azure-compute-docs vm-naming-conventions.md: family, vCPUs, letters, accelerator, version. The highest
# version of a size that is sold is 7 (2026-11).
_NO_VERSION: Final = r"(?i)standard_\w*_v\d\d+"
_MIG: Final = r"(?i)standard_(n[a-z]*\d+\w*_(a100|h100|h200)_v\d+|nd96asr_v4)"


def is_rdma(size: str) -> bool:
    """Whether machines of this size have InfiniBand: the `r` in their name.

    Source: MicrosoftDocs/azure-compute-docs setup-infiniband.md.
    """
    return re.fullmatch(_RDMA, size) is not None


def has_mig(size: str) -> bool:
    """Whether the GPUs of this size can be partitioned: A100, H100 and H200.

    Source: MicrosoftDocs/azure-aks-docs gpu-multi-instance.md.
    """
    return re.fullmatch(_MIG, size) is not None


@cache
def _table() -> dict[str, int | None]:
    text = resources.files("gpucluster.sandbox.clouds.azure").joinpath("sizes.csv").read_text()
    return {row["size"]: int(row["temp_disk_gib"] or 0) or None for row in csv.DictReader(text.splitlines())}


def is_unheard_of(size: str) -> bool:
    """Whether no size can have this name: for a family with all sizes in the table, a name not in it; for any other, a
    version of two digits.
    """
    if re.match(_FAMILIES, size):
        return size.lower() not in _table()
    return re.fullmatch(_NO_VERSION, size) is not None


def temp_disk(size: str) -> int | None:
    """The temporary disk of a size in GiB, None if the table does not contain it."""
    return _table().get(size.lower())

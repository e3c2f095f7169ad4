"""The size classes of Azure's managed disks (Azure Compute documentation, disk types)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DISK_GIB: Final[Mapping[int, int]] = {
    1: 4, 2: 8, 3: 16, 4: 32, 6: 64, 10: 128, 15: 256, 20: 512, 30: 1024, 40: 2048, 50: 4096, 60: 8192, 70: 16384,
    80: 32767,
}  # fmt: skip
"""Number of the class, such as that of P10 -> maximum GiB; in order."""

"""Losses when a resource is deleted: `holdings.csv`.

Columns: `type` token; what it `holds`; the changes it is `lost_on`, none if the cloud deletes it only when empty; the
flag that must be set for the loss (`only_if`), else the cloud refuses the deletion; the path of the input with its
capacity (`size`), if it has one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.catalog.rows import rows

SHARED_STORAGE: Final = "shared storage"
SINGLE_DISK: Final = "single disk"
RESERVED_CAPACITY: Final = "reserved capacity"
CONTROL_PLANE: Final = "control plane"
NODE_POOL: Final = "node pool"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One row of the table."""

    holds: str
    lost_on: tuple[str, ...]
    only_if: str | None
    size: tuple[str, ...]


@functools.cache
def holdings() -> Mapping[str, Holding]:
    """Type token -> holdings of a resource of that type, on every cloud."""
    return {
        row["type"]: Holding(
            holds=row["holds"],
            lost_on=tuple(row["lost_on"].split()),
            only_if=row["only_if"] or None,
            size=tuple(filter(None, row["size"].split("."))),
        )
        for row in rows("holdings")
    }

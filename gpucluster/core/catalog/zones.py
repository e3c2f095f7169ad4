"""Zones that list a machine type: `zones.csv`. A listed zone may still lack capacity.

Zones of AWS are given by id; if a source names only a region, the region is in place of its zones.
`managed-lustre` is Google's file system, which only some zones offer.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.core.catalog.tables import rows


def zones_of(machine_type: str) -> tuple[str, ...]:
    """The zones known to list a machine type, or `managed-lustre`; empty if unknown."""
    return _zones().get(machine_type, ())


@functools.cache
def _zones() -> Mapping[str, tuple[str, ...]]:
    return {machine: tuple(row["zones"].split()) for row in rows("zones") for machine in row["machines"].split()}

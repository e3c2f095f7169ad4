"""Zones that list a machine type: `zones.csv`. Being listed is not being there: capacity is another matter.

Zones of AWS are written by id; where a source names a region alone, the region stands in place of its zones.
`managed-lustre` is Google's file system, which some zones have and some have not.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows


def zones_of(machine_type: str) -> tuple[str, ...]:
    """The zones known to list a machine type, or `managed-lustre`; empty where nothing is known of it."""
    return _zones().get(machine_type, ())


@functools.cache
def _zones() -> Mapping[str, tuple[str, ...]]:
    return {machine: tuple(row["zones"].split()) for row in rows("zones") for machine in row["machines"].split()}

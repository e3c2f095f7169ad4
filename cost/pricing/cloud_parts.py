"""Optional hooks of the cost module for one cloud, in addition to its resource handlers: `clouds/CLOUD.py`.

`region_of(ask)`: the region of a resource if its provider does not fully state it. `storage_name(tier)`: the price
book's name of the cloud's parallel file system with so many MB/s per TiB. `FILE_SYSTEMS`: file system type -> reader.
"""

from __future__ import annotations

from typing import Any

from gpucluster.core.catalog.clouds import clouds, module_of


def part_of(cloud: str, part: str) -> Any | None:
    """A hook of a cloud by name; None if the cloud does not define it."""
    return getattr(module_of(f"gpucluster.cost.clouds.{cloud}"), part, None) if cloud in clouds() else None

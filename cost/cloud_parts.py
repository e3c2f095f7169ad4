"""Optional hooks of the cost module for one cloud, besides the handlers of its resources: `clouds/CLOUD.py`.

`region_of(ask)`: where a resource is, where its provider does not say it all. `storage_name(tier)`: the price book's
name of its parallel file system with so many MB/s per TiB. `FILE_SYSTEMS`: type of such a file system -> what reads it.
"""

from __future__ import annotations

from typing import Any

from gpucluster.catalog.clouds import clouds, module_of


def part_of(cloud: str, part: str) -> Any | None:
    """One of these of a cloud, by its name; None where it has none."""
    return getattr(module_of(f"gpucluster.cost.clouds.{cloud}"), part, None) if cloud in clouds() else None

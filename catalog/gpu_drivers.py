"""Default branch of NVIDIA's driver on a cloud's machines, by Kubernetes version: `gpu_drivers.csv`."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows


def default_driver(cloud: str, kubernetes: str) -> str | None:
    """The branch, such as 580; None without a source."""
    return _table().get((cloud, kubernetes))


@functools.cache
def _table() -> Mapping[tuple[str, str], str]:
    return {(row["cloud"], row["kubernetes"]): row["driver"] for row in rows("gpu_drivers")}

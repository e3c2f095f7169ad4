"""Resource types that cost nothing by themselves, each with where that is said: `free.csv`.

`kubernetes:GROUP/*` is every kind of an API group: Kubernetes' own, and those of controllers that make nothing outside
the cluster by themselves. Any other group may make cloud resources, so it is not assumed free. `PACKAGE:*` is a package
that makes values in the state and nothing in a cloud.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows


def free_reason(type_: str) -> tuple[str, str] | None:
    """(why, source) of a type that is free, None when nothing says so."""
    package, _, rest = type_.partition(":")
    wider = f"kubernetes:{rest.partition(':')[0].partition('/')[0]}/*" if package == "kubernetes" else f"{package}:*"
    return free_types().get(type_) or free_types().get(wider)


@functools.cache
def free_types() -> Mapping[str, tuple[str, str]]:
    """Every free type by name, whole groups and packages too -> (why, source)."""
    return {row["type"]: (row["why"], row["source"]) for row in rows("free")}

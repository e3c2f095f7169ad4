"""Resource types without a charge of their own, each with its source: `free.csv`.

`kubernetes:GROUP/*` is every kind of an API group: Kubernetes' own, and those of controllers that create nothing
outside the cluster on their own. Any other group may create cloud resources, so it is not assumed free. `PACKAGE:*` is
a package that creates values in the state and nothing in a cloud.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows


def free_reason(type_: str) -> tuple[str, str] | None:
    """(why, source) of a free type, None if no source says so."""
    package, _, rest = type_.partition(":")
    wider = f"kubernetes:{rest.partition(':')[0].partition('/')[0]}/*" if package == "kubernetes" else f"{package}:*"
    return free_types().get(type_) or free_types().get(wider)


@functools.cache
def free_types() -> Mapping[str, tuple[str, str]]:
    """Every free type by name, including whole groups and packages -> (why, source)."""
    return {row["type"]: (row["why"], row["source"]) for row in rows("free")}

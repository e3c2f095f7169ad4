"""EFA interfaces that a client of FSx for Lustre uses by default: `lustre_efa.csv`.

Machines outside the table mount over IP: EFA clients need Nitro v4 or later, which P4 is not.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from gpucluster.catalog.rows import rows


def lustre_efa(machine_type: str) -> int:
    """EFA interfaces for Lustre; 0 if the machine mounts over IP alone."""
    return _table().get(machine_type, 0)


@functools.cache
def _table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) for row in rows("lustre_efa")}

"""Node conditions of EKS' node monitoring agent that mark a broken node. Imports no Pulumi.

Source: Amazon EKS user guide dbc0b729, node-health-nma and node-repair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.node_health.plan import MEMORY_REMAPPED, PROGRAM_MISTAKES

HARDWARE: Final = "AcceleratedHardwareReady"
UNHARMED: Final = tuple(f"NvidiaXID{code}Error" for code in (*PROGRAM_MISTAKES, MEMORY_REMAPPED))
"""Its reasons that do not justify removing a node."""

# DCGM's findings alone do not mean a broken machine: EKS does not repair nodes for them either.
CONDITIONS: Final[Sequence[Mapping[str, Any]]] = (
    {"type": HARDWARE, "status": "False", "but": [*UNHARMED, "DCGM"]},
    *({"type": f"{part}Ready", "status": "False"} for part in ("ContainerRuntime", "Kernel", "Networking", "Storage")),
)
REPAIR: Final = "EKS reboots or replaces it after 10 to 30 minutes"

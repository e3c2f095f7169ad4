"""Node conditions of GKE's device plugin that mark a broken node. Imports no Pulumi.

It sets one condition for XIDs 48, 63, 64, 79, 119, 120, 123 and 140, whose reason is a JSON object of the observed
ones, and removes it after a reboot of the node. GKE's automatic repair does not read it.
Sources: GoogleCloudPlatform/container-engine-accelerators 06e703e6, pkg/gpu/nvidia/health_check/health_checker.go; GKE
documentation, "Auto-repair nodes".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.node_health.plan import MEMORY_REMAPPED

CONDITIONS: Final[Sequence[Mapping[str, Any]]] = (
    {
        "type": "XidCriticalError",
        "status": "True",
        "but": [json.dumps({str(MEMORY_REMAPPED): True}, separators=(",", ":"))],
    },
)
MAINTENANCE: Final = "cloud.google.com/scheduled-maintenance-time"
"""Label of a node whose host has planned maintenance, with its time in seconds since 1970.

Source: GKE documentation, "Manage disruption to GKE nodes that don't live migrate", and google/skills,
gke-ai-troubleshooting-handle-disruption-gpu-tpu (Unix epoch); from GKE 1.31.1-gke.2008000 on.
"""
REPAIR: Final = "its machine stays until someone requests a repair of its host"

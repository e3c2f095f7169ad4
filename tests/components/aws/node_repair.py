"""What node groups say of node repair, typed by hand from the documentation of EKS."""

from __future__ import annotations

from typing import Any, Final

# Broken nodes are repaired, but for XIDs of programs' mistakes and for a row of memory that is remapped.
REPAIR: Final[dict[str, Any]] = {
    "enabled": True,
    "nodeRepairConfigOverrides": [
        {
            "nodeMonitoringCondition": "AcceleratedHardwareReady",
            "nodeUnhealthyReason": f"NvidiaXID{code}Error",
            "minRepairWaitTimeMins": 10,
            "repairAction": "NoAction",
        }
        for code in (13, 31, 63)
    ],
}

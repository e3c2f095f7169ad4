"""Tolerations of software in an AKS cluster: charts set some of them, never all (Azure/AKS 4418)."""

from __future__ import annotations

from typing import Final

from gpucluster.components.planning.names import ADDONS_TOLERATION, ALL_TAINTS

SPOT: Final = "kubernetes.azure.com/scalesetpriority"
"""Key of the label and the taint that AKS automatically sets on Spot nodes, with the value spot.

Source: AKS documentation, "Add an Azure Spot node pool".
"""

SPOT_TOLERATION: Final = {
    "key": SPOT,
    "operator": "Equal",
    "value": "spot",
    "effect": "NoSchedule",
}

DAEMONS: Final = [ALL_TAINTS]
"""For software on every node, GPU nodes in particular."""
CONTROLLERS: Final = [ADDONS_TOLERATION]
"""For software on any node except GPU nodes."""

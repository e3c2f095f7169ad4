"""Signs of GKE about its machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.signs import Condition, Sign

_LABEL: Final = "cloud.google.com"


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """Maintenance of the host, which ends every machine with GPUs: GKE stops the pods and prevents new ones.

    Sources: GKE documentation, "Manage disruption to GKE nodes that use GPUs or TPUs"; GoogleCloudPlatform/
    k8s-node-termination-handler, main.go (taint).
    """
    if "karpenter.sh/nodepool" in mapping(mapping(node.get("metadata")).get("labels")):
        return Sign(says="Karpenter sees the preemption and deletes the NodeClaim", claim=True)
    return Sign(
        says="GKE marks the maintenance as ongoing, keeps new pods away and stops those of the node",
        labels={f"{_LABEL}/active-node-maintenance": "ONGOING"},
        taints=[{"key": f"{_LABEL}/impending-node-termination", "effect": "NoSchedule"}],
        drains=True,
    )


def broken(node: Mapping[str, Any], entries: Sequence[Entry]) -> Sequence[Condition]:
    """A GPU that has fallen off the bus, as reported by GKE's device plugin.

    Source: GoogleCloudPlatform/container-engine-accelerators, pkg/gpu/nvidia/health_check (XidCriticalError).
    """
    del node, entries
    return (Condition(type="XidCriticalError", status="True", reason='{"79":true}'),)

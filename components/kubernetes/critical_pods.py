"""Namespaces whose pods may use a system priority class, which other pods cannot preempt."""

from __future__ import annotations

from typing import Final

import pulumi

from gpucluster.components.kubernetes.kinds import RESOURCE_QUOTA
from gpucluster.components.kubernetes.objects import Declared, manifest_of

CLUSTER_CRITICAL: Final = "system-cluster-critical"
NODE_CRITICAL: Final = "system-node-critical"
_PODS: Final = "1000000"
"""As good as no limit: the quota is there to be there."""


def critical_pods(
    name: str,
    priority: str,
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """GKE lets pods of such a priority into namespaces alone that have a quota of them; elsewhere it changes nothing.

    Source: NVIDIA's documentation of its GPU Operator, "NVIDIA GPU Operator with Google GKE".
    """
    priorities = {"scopeName": "PriorityClass", "operator": "In", "values": [priority]}
    spec = {"hard": {"pods": _PODS}, "scopeSelector": {"matchExpressions": [priorities]}}
    return Declared(name, manifest_of(RESOURCE_QUOTA, spec, object_name="critical-pods", namespace=namespace), opts)

"""Namespaces whose pods may use a system priority class, which other pods cannot preempt."""

from __future__ import annotations

from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.kinds import RESOURCE_QUOTA
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of

CLUSTER_CRITICAL: Final = "system-cluster-critical"
NODE_CRITICAL: Final = "system-node-critical"
_PODS: Final = "1000000"
"""Practically no limit: only the existence of the quota matters."""


def critical_pods(
    name: str,
    priority: str,
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """GKE allows pods of such a priority only in namespaces with a quota for them; elsewhere it changes nothing.

    Source: NVIDIA's documentation of its GPU Operator, "NVIDIA GPU Operator with Google GKE".
    """
    priorities = {"scopeName": "PriorityClass", "operator": "In", "values": [priority]}
    spec = {"hard": {"pods": _PODS}, "scopeSelector": {"matchExpressions": [priorities]}}
    return Declared(name, manifest_of(RESOURCE_QUOTA, spec, object_name="critical-pods", namespace=namespace), opts)

"""Namespaces whose pods may have a priority of the system's, which no other pod can push aside."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.core import v1 as core
from pulumi_kubernetes.meta import v1 as meta

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
) -> core.ResourceQuota:
    """GKE lets pods of such a priority into namespaces alone that have a quota of them; elsewhere it changes nothing.

    Source: NVIDIA's documentation of its GPU Operator, "NVIDIA GPU Operator with Google GKE".
    """
    return core.ResourceQuota(
        name,
        metadata=meta.ObjectMetaArgs(name="critical-pods", namespace=namespace),
        spec=core.ResourceQuotaSpecArgs(
            hard={"pods": _PODS},
            scope_selector=core.ScopeSelectorArgs(
                match_expressions=[
                    core.ScopedResourceSelectorRequirementArgs(
                        scope_name="PriorityClass", operator="In", values=[priority]
                    )
                ]
            ),
        ),
        opts=opts,
    )

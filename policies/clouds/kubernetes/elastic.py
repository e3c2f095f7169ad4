"""Nodes that an autoscaler creates for pending pods: Karpenter's on every cloud, and GKE's ComputeClass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.policies.label_sets import labels_at
from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import at

_KARPENTER: Final = "kubernetes:karpenter.sh/v1:NodePool"
_COMPUTE_CLASS: Final = "kubernetes:cloud.google.com/v1:ComputeClass"

ELASTIC_TYPES: Final = (_KARPENTER, _COMPUTE_CLASS)
KARPENTER: Final = re.compile(r"kubernetes:karpenter\.sh/\w+:NodePool")
"""Type token of Karpenter's pools, of any version of its API."""
# Of any version of their APIs: older ones have the labels in the same place.
_LABELS: Final = {
    KARPENTER: ("spec", "template", "metadata", "labels"),
    re.compile(r"kubernetes:cloud\.google\.com/\w+:ComputeClass"): ("spec", "nodePoolConfig", "nodeLabels"),
}


def elastic_pools(resources: Resources) -> Iterator[Resource]:
    """Resources of the stack that create such nodes."""
    for resource in resources:
        if any(way.fullmatch(resource.type) for way in _LABELS):
            yield resource


def elastic_labels(pool: Resource) -> Mapping[str, Any] | Unknown:
    """Labels of the nodes it creates."""
    return labels_at(at(pool.inputs, *next(path for way, path in _LABELS.items() if way.fullmatch(pool.type))))

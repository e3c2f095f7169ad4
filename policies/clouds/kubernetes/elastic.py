"""Nodes that an autoscaler makes as pods ask for them: Karpenter's on every cloud, and GKE's ComputeClass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.policies.label_sets import labels_at
from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import at

__all__ = ["ELASTIC_TYPES", "elastic_labels", "elastic_pools"]

_KARPENTER: Final = "kubernetes:karpenter.sh/v1:NodePool"
_COMPUTE_CLASS: Final = "kubernetes:cloud.google.com/v1:ComputeClass"

ELASTIC_TYPES: Final = (_KARPENTER, _COMPUTE_CLASS)
_LABELS: Final = {
    _KARPENTER: ("spec", "template", "metadata", "labels"),
    _COMPUTE_CLASS: ("spec", "nodePoolConfig", "nodeLabels"),
}


def elastic_pools(resources: Resources) -> Iterator[Resource]:
    """What makes such nodes in the stack."""
    for type_ in ELASTIC_TYPES:
        yield from resources.of_type(type_)


def elastic_labels(pool: Resource) -> Mapping[str, Any] | Unknown:
    """Labels of the nodes it makes."""
    return labels_at(at(pool.inputs, *_LABELS[pool.type]))

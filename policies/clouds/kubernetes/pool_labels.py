"""Node labels by which workloads select a pool, and which state a pool's purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.core.program.values import at, known_items
from gpucluster.policies.clouds.label_sets import labels_at

SINGLE_NODE: Final = "gpucluster/single-node"
"""Label of nodes without multi-node jobs; its value is `true`."""
SINGLE_NODE_LABELS: Final = "singleNodeLabels"
"""The setting with further labels of such nodes, each `KEY=VALUE`."""

POOL_LABEL: Final = "gpucluster/pool"
"""Label of nodes that names their pool; `training` is for multi-node jobs."""
_TRAINING: Final = "training"
FLAVOR: Final = re.compile(r"kubernetes:kueue\.x-k8s\.io/\w+:ResourceFlavor")
"""Type token of Kueue's flavors, of any version of its API."""

MIG: Final = "nvidia.com/mig.config"
"""The node label that slices a node's GPUs; NVIDIA mig-parted, `config-default.yaml`."""
_NOT_SLICED: Final = "all-disabled"


@once
def flavor_labels(resources: Resources) -> Iterator[str]:
    """Keys by which the Kueue ResourceFlavors of the stack select nodes."""
    found: set[str] = set()
    for resource in resources:
        if FLAVOR.fullmatch(resource.type):
            labels = labels_at(at(resource.inputs, "spec", "nodeLabels"))
            found.update(() if labels is UNKNOWN else labels)
    yield from sorted(found)


def for_training(labels: Mapping[str, Any]) -> bool:
    """Whether labels state that the nodes train together."""
    return labels.get(POOL_LABEL) == _TRAINING


def perhaps_for_training(labels: Mapping[str, Any]) -> bool:
    """Whether it is unknown before the update if labels state that the nodes train together."""
    return labels.get(POOL_LABEL) is UNKNOWN


def single_node_label(labels: Mapping[str, Any], resources: Resources) -> str:
    """The label that states that no job spans two of the nodes; empty without one.

    Labels of Google Cloud's machines hold no slash: a dash stands for it there.
    """
    further = [str(one).partition("=") for one in known_items(resources.settings, SINGLE_NODE_LABELS)]
    for key, value in ((SINGLE_NODE, "true"), *((key, value) for key, _, value in further)):
        if value in (labels.get(key), labels.get(key.replace("/", "-"))):
            return f"{key}: {value}"
    return ""


def sliced_by_label(labels: Mapping[str, Any]) -> bool:
    """Whether the GPU operator slices the nodes' GPUs (MIG). A name of their pool alone slices nothing."""
    return labels.get(MIG, _NOT_SLICED) not in (_NOT_SLICED, UNKNOWN)


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
    yield from filter(is_elastic, resources)


def is_elastic(resource: Resource) -> bool:
    """Whether it creates such nodes."""
    return any(way.fullmatch(resource.type) for way in _LABELS)


def elastic_labels(pool: Resource) -> Mapping[str, Any] | Unknown:
    """Labels of the nodes it creates."""
    return labels_at(at(pool.inputs, *next(path for way, path in _LABELS.items() if way.fullmatch(pool.type))))

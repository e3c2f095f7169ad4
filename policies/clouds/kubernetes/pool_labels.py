"""Node labels by which workloads choose a pool, and by which a pool says what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cost.resources import UNKNOWN, Resources
from policies.label_sets import labels_at
from policies.reading import at

__all__ = ["SINGLE_NODE", "for_single_nodes", "for_training", "sliced_by_label", "telling_labels"]

SINGLE_NODE: Final = "gpucluster/single-node"
"""Label of nodes whose jobs never span two of them; its value is `true`."""

_POOL_LABEL: Final = "gpucluster/pool"
_TRAINING: Final = "training"
_FLAVOR: Final = ("kubernetes:kueue.x-k8s.io/", ":ResourceFlavor")

# The node label that slices a node's GPUs; NVIDIA mig-parted, `config-default.yaml`.
_MIG: Final = "nvidia.com/mig.config"
_NOT_SLICED: Final = "all-disabled"


def telling_labels(resources: Resources) -> list[str]:
    """Keys that tell pools apart: `gpucluster/pool`, and what a Kueue ResourceFlavor selects nodes by."""
    keys = {_POOL_LABEL}
    for resource in resources:
        if resource.type.startswith(_FLAVOR[0]) and resource.type.endswith(_FLAVOR[1]):
            labels = labels_at(at(resource.inputs, "spec", "nodeLabels"))
            keys.update(() if labels is UNKNOWN else labels)
    return sorted(keys)


def for_training(labels: Mapping[str, Any]) -> bool:
    """Whether nodes say that they train together."""
    return labels.get(_POOL_LABEL) == _TRAINING


def for_single_nodes(labels: Mapping[str, Any]) -> bool:
    """Whether nodes say that no job of theirs spans two of them."""
    return labels.get(SINGLE_NODE) == "true"


def sliced_by_label(labels: Mapping[str, Any]) -> bool:
    """Whether the GPU operator slices the nodes' GPUs (MIG)."""
    return labels.get(_MIG, _NOT_SLICED) not in (_NOT_SLICED, UNKNOWN)

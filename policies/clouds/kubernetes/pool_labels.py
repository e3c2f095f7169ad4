"""Node labels by which workloads select a pool, and which state a pool's purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.clouds.pools import Machines
from gpucluster.policies.engine.rule import CannotTell, Finding, Violation

SINGLE_NODE: Final = "gpucluster/single-node"
"""Label of nodes without multi-node jobs; its value is `true`."""

_WITHOUT_FABRIC: Final = (
    "Use an 8-GPU machine type with the cloud's GPU network, or a label other than gpucluster/pool: training."
)
_POOL_LABEL: Final = "gpucluster/pool"
_TRAINING: Final = "training"
_SLICED: Final = "mig"
FLAVOR: Final = re.compile(r"kubernetes:kueue\.x-k8s\.io/\w+:ResourceFlavor")
"""Type token of Kueue's flavors, of any version of its API."""

MIG: Final = "nvidia.com/mig.config"
"""The node label that slices a node's GPUs; NVIDIA mig-parted, `config-default.yaml`."""
_NOT_SLICED: Final = "all-disabled"


def telling_labels(resources: Resources) -> list[str]:
    """Keys that separate pools: `gpucluster/pool`, and those by which a Kueue ResourceFlavor selects nodes."""
    keys = {_POOL_LABEL}
    for resource in resources:
        if FLAVOR.fullmatch(resource.type):
            labels = labels_at(at(resource.inputs, "spec", "nodeLabels"))
            keys.update(() if labels is UNKNOWN else labels)
    return sorted(keys)


def for_training(labels: Mapping[str, Any]) -> bool:
    """Whether labels state that the nodes train together."""
    return labels.get(_POOL_LABEL) == _TRAINING


def perhaps_for_training(labels: Mapping[str, Any]) -> bool:
    """Whether it is unknown before the update if labels state that the nodes train together."""
    return labels.get(_POOL_LABEL) is UNKNOWN


def for_single_nodes(labels: Mapping[str, Any]) -> bool:
    """Whether labels state that no job spans two of the nodes."""
    return labels.get(SINGLE_NODE) == "true"


def sliced_by_label(labels: Mapping[str, Any]) -> bool:
    """Whether the nodes' GPUs are sliced (MIG): by the GPU operator, or by the cloud according to the pool's label."""
    return labels.get(_POOL_LABEL) == _SLICED or labels.get(MIG, _NOT_SLICED) not in (_NOT_SLICED, UNKNOWN)


def without_fabric(machines: Machines, labels: Mapping[str, Any], *, gpus: bool) -> Iterator[Finding]:
    """A finding for nodes labelled as training together, with a machine type without a fabric."""
    if (
        not gpus
        or not isinstance(machines.machine, str)
        or machines.surely_on_fabric
        or not for_training(labels)
        or sliced_by_label(labels)
    ):
        return
    if machines.nodes is UNKNOWN:
        yield CannotTell(machines.resource, f"{machines.label}, for training: the number of nodes is not known yet")
    elif machines.nodes > 1:
        yield Violation(
            machines.resource,
            f"{machines.label} in the training pool: the machine type has no GPU network",
            _WITHOUT_FABRIC,
        )


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

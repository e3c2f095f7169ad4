"""Node labels by which workloads choose a pool."""

from __future__ import annotations

from typing import Final

from cost.resources import UNKNOWN, Resources
from policies.label_sets import labels_at
from policies.reading import at

__all__ = ["telling_labels"]

_POOL_LABEL: Final = "gpucluster/pool"
_FLAVOR: Final = ("kubernetes:kueue.x-k8s.io/", ":ResourceFlavor")


def telling_labels(resources: Resources) -> list[str]:
    """Keys that tell pools apart: `gpucluster/pool`, and what a Kueue ResourceFlavor selects nodes by."""
    keys = {_POOL_LABEL}
    for resource in resources:
        if resource.type.startswith(_FLAVOR[0]) and resource.type.endswith(_FLAVOR[1]):
            labels = labels_at(at(resource.inputs, "spec", "nodeLabels"))
            keys.update(() if labels is UNKNOWN else labels)
    return sorted(keys)

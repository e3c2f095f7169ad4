"""Training pools on AWS: several GPU nodes that train together.

Full GPU nodes of one type in one component are one pool, even if several resources start them; without a component
those of one EKS cluster are, else those of the stack. The node label `gpucluster/pool`, or one that a Kueue
ResourceFlavor selects by, separates pools. Other machines with EFA are a separate pool. A single node is not a pool,
nor are nodes with sliced GPUs (MIG). For unknown machines, a GPU image makes it a pool without any certain property.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.catalog.machines import has_gpus
from gpucluster.policies.clouds.aws.machines import READS, AwsMachines, machines_of
from gpucluster.policies.clouds.kubernetes.pool_labels import telling_labels
from gpucluster.policies.machines import several
from gpucluster.program.resources import Resources, once
from gpucluster.program.values import text

__all__ = ["READS", "machines_of", "names_gpus", "training_pools"]

_CLUSTER: Final = "aws:eks/cluster:Cluster"

# In every amiType of EKS with NVIDIA drivers, e.g. AL2023_x86_64_NVIDIA.
_GPU_IMAGE: Final = "NVIDIA"


def names_gpus(word: str) -> bool:
    """Whether a word is a machine type with GPUs; SageMaker prefixes those of EC2 with `ml.`."""
    return has_gpus("aws", word.removeprefix("ml."))


@once
def training_pools(resources: Resources) -> Iterator[tuple[AwsMachines, ...]]:
    """Each training pool of the stack, as its machines ordered by name."""
    keys = telling_labels(resources)
    return several(
        (_pool_of(machines, resources, keys), machines) for machines in machines_of(resources) if _on_fabric(machines)
    )


def _pool_of(machines: AwsMachines, resources: Resources, keys: list[str]) -> tuple[Any, ...]:
    if not machines.whole_node:
        return (machines.resource.urn,)
    resource = machines.resource
    around = resources.component_of(resource) or resources.referred(resource, "clusterName", _CLUSTER)
    within = around.urn if around else text(resource.inputs, "clusterName")
    return (within, machines.machine, *(str(machines.labels.get(key)) for key in keys))


def _on_fabric(machines: AwsMachines) -> bool:
    if machines.sliced:
        return False
    image = text(machines.resource.inputs, "amiType")
    gpu_image = isinstance(image, str) and _GPU_IMAGE in image
    return machines.surely_on_fabric or (gpu_image and not isinstance(machines.machine, str) and bool(machines.hidden))

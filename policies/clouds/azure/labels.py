"""Tags of Azure resources, and of the scale sets and nodes of AKS node pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.labels import LabelSyntax, argument_of
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.azure.declared_pools import AzurePool, declared_pools
from gpucluster.policies.clouds.label_sets import LabelSet, labels_at, node_labels

NODE_CLASSES: Final = {
    ("karpenter.azure.com", "AKSNodeClass"): ("tags of the machines it starts", LabelSyntax.AZURE, "tags")
}
"""Format as in `policies.clouds.kubernetes.labels`."""


def label_sets(resource: Resource, provider: Resource | None) -> Iterator[LabelSet]:
    """Every set of labels of an `azure-native:` resource; the provider has no default tags."""
    del provider
    if argument_of(resource.type) is not None:
        tags = labels_at(at(resource.inputs, "tags"))
        yield LabelSet(where="tags", labels=tags, syntax=LabelSyntax.AZURE, place=("tags",), own=True)
    for pool in declared_pools(resource):
        yield from _of_pool(pool)


def _of_pool(pool: AzurePool) -> Iterator[LabelSet]:
    of = "" if pool.prop is None or pool.name == pool.resource.name else f" in `{pool.name}`"
    if pool.prop is not None:
        tags = labels_at(pool.at("tags"))
        yield LabelSet(
            where=f"tags of the machines it starts{of}",
            labels=tags,
            syntax=LabelSyntax.AZURE,
            place=(*pool.place, "tags"),
        )
    yield node_labels(pool.at(*pool.node_labels), (*pool.place, *pool.node_labels), KUBELET_DOMAINS, of)

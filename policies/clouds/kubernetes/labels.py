"""Labels of Kubernetes objects, and of the machines that Karpenter starts for them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.core.catalog.clouds import modules_of
from gpucluster.core.catalog.labels import LabelSyntax
from gpucluster.core.catalog.nodes import KARPENTER_DOMAINS
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.label_sets import LabelSet, labels_at, node_labels

# Not single objects: a Helm release, lists, and patches of an object with another owner.
_NOT_OBJECTS: Final = ("kubernetes:helm.sh/", "kubernetes:yaml", "kubernetes:kustomize", "kubernetes:index:")
_NOT_OBJECT_KINDS: Final = ("List", "Patch")


@functools.cache
def _node_classes() -> Mapping[tuple[str, str], tuple[str, LabelSyntax, str]]:
    """NODE_CLASSES of the `labels` of every cloud: (group, kind) -> description of the labels that Karpenter sets on
    the machines, their syntax rules, and their path in `spec`."""
    found: dict[tuple[str, str], tuple[str, LabelSyntax, str]] = {}
    for _, cloud in modules_of("gpucluster.policies.clouds.{cloud}.labels"):
        found |= getattr(cloud, "NODE_CLASSES", {})
    return found


def label_sets(resource: Resource, provider: Resource | None) -> Iterator[LabelSet]:
    """Every set of labels of a `kubernetes:` resource; the provider has no default labels."""
    del provider
    if resource.type.startswith(_NOT_OBJECTS) or resource.type.endswith(_NOT_OBJECT_KINDS):
        return
    labels = labels_at(at(resource.inputs, "metadata", "labels"))
    yield LabelSet(where="labels", labels=labels, syntax=LabelSyntax.KUBERNETES, place=("metadata", "labels"), own=True)
    _, group_version, kind = resource.type.split(":", 2)
    group = group_version.split("/")[0]
    if (group, kind) == ("karpenter.sh", "NodePool"):
        place = ("spec", "template", "metadata", "labels")
        yield node_labels(at(resource.inputs, *place), place, KARPENTER_DOMAINS)
    if (group, kind) in _node_classes():
        where, syntax, argument = _node_classes()[group, kind]
        of_machines = labels_at(at(resource.inputs, "spec", argument))
        yield LabelSet(where=where, labels=of_machines, syntax=syntax, place=("spec", argument))

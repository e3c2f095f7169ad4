"""Labels of Kubernetes objects, and of the machines that Karpenter starts for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import Resource
from policies.clouds.kubernetes.node_labels import KARPENTER_DOMAINS
from policies.label_sets import LabelSet, LabelSyntax, labels_at
from policies.reading import at

__all__ = ["label_sets"]

# Not objects of their own: a Helm release, lists, and patches of an object that somebody else owns.
_NOT_OBJECTS: Final = ("kubernetes:helm.sh/", "kubernetes:yaml", "kubernetes:kustomize", "kubernetes:index:")
_NOT_OBJECT_KINDS: Final = ("List", "Patch")


def label_sets(resource: Resource) -> Iterator[LabelSet]:
    """Every place where a `kubernetes:` resource carries labels."""
    if resource.type.startswith(_NOT_OBJECTS) or resource.type.endswith(_NOT_OBJECT_KINDS):
        return
    labels = labels_at(at(resource.inputs, "metadata", "labels"))
    yield LabelSet(where="labels", labels=labels, syntax=LabelSyntax.KUBERNETES)
    _, group_version, kind = resource.type.split(":", 2)
    group = group_version.split("/")[0]
    if (group, kind) == ("karpenter.sh", "NodePool"):
        yield LabelSet(
            where="labels of the nodes it starts",
            labels=labels_at(at(resource.inputs, "spec", "template", "metadata", "labels")),
            syntax=LabelSyntax.KUBERNETES,
            node_domains=KARPENTER_DOMAINS,
        )
    if (group, kind) == ("karpenter.k8s.aws", "EC2NodeClass"):
        tags = labels_at(at(resource.inputs, "spec", "tags"))
        yield LabelSet(where="tags of the instances and disks it starts", labels=tags, syntax=LabelSyntax.AWS)
    if (group, kind) == ("karpenter.k8s.gcp", "GCENodeClass"):
        of_machines = labels_at(at(resource.inputs, "spec", "labels"))
        yield LabelSet(where="labels of the machines it starts", labels=of_machines, syntax=LabelSyntax.GOOGLE)
    if (group, kind) == ("karpenter.azure.com", "AKSNodeClass"):
        tags = labels_at(at(resource.inputs, "spec", "tags"))
        yield LabelSet(where="tags of the machines it starts", labels=tags, syntax=LabelSyntax.AZURE)

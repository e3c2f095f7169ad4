"""Labels of Kubernetes objects, and of the machines that Karpenter starts for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.label_syntax import LabelSyntax
from gpucluster.catalog.node_labels import KARPENTER_DOMAINS
from gpucluster.policies.label_sets import LabelSet, labels_at
from gpucluster.program.resources import Resource
from gpucluster.program.values import at

__all__ = ["label_sets"]

# Not objects of their own: a Helm release, lists, and patches of an object that somebody else owns.
_NOT_OBJECTS: Final = ("kubernetes:helm.sh/", "kubernetes:yaml", "kubernetes:kustomize", "kubernetes:index:")
_NOT_OBJECT_KINDS: Final = ("List", "Patch")

# (group, kind) -> whose labels Karpenter writes on the machines, by whose rules, and where in `spec` they stand.
_MACHINE_CLASSES: Final = {
    ("karpenter.k8s.aws", "EC2NodeClass"): ("tags of the instances and disks it starts", LabelSyntax.AWS, "tags"),
    ("karpenter.k8s.gcp", "GCENodeClass"): ("labels of the machines it starts", LabelSyntax.GOOGLE, "labels"),
    ("karpenter.azure.com", "AKSNodeClass"): ("tags of the machines it starts", LabelSyntax.AZURE, "tags"),
}


def label_sets(resource: Resource) -> Iterator[LabelSet]:
    """Every place where a `kubernetes:` resource carries labels."""
    if resource.type.startswith(_NOT_OBJECTS) or resource.type.endswith(_NOT_OBJECT_KINDS):
        return
    labels = labels_at(at(resource.inputs, "metadata", "labels"))
    yield LabelSet(where="labels", labels=labels, syntax=LabelSyntax.KUBERNETES, place=("metadata", "labels"), own=True)
    _, group_version, kind = resource.type.split(":", 2)
    group = group_version.split("/")[0]
    if (group, kind) == ("karpenter.sh", "NodePool"):
        yield LabelSet(
            where="labels of the nodes it starts",
            labels=labels_at(at(resource.inputs, "spec", "template", "metadata", "labels")),
            syntax=LabelSyntax.KUBERNETES,
            place=("spec", "template", "metadata", "labels"),
            node_domains=KARPENTER_DOMAINS,
        )
    if (group, kind) in _MACHINE_CLASSES:
        where, syntax, argument = _MACHINE_CLASSES[group, kind]
        of_machines = labels_at(at(resource.inputs, "spec", argument))
        yield LabelSet(where=where, labels=of_machines, syntax=syntax, place=("spec", argument))

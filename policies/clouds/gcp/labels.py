"""Labels of Google Cloud resources and of the machines they start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from gpucluster.core.catalog.labels import LabelSyntax, argument_of
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, known_items, setting
from gpucluster.policies.clouds.gcp.declared_pools import GcpPool, declared_pools
from gpucluster.policies.clouds.gcp.pools import cluster_of
from gpucluster.policies.clouds.label_sets import LabelSet, Place, labels_at, labels_with_defaults, node_labels

NODE_CLASSES: Final = {
    ("karpenter.k8s.gcp", "GCENodeClass"): ("labels of the machines it starts", LabelSyntax.GOOGLE, "labels")
}
"""Format as in `policies.clouds.kubernetes.labels`."""

_INSTANCE: Final = "gcp:compute/instance:Instance"
_TEMPLATES: Final = (
    "gcp:compute/instanceTemplate:InstanceTemplate",
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
)
_MACHINES = ("nodeConfig", "resourceLabels")


def label_sets(resource: Resource, provider: Resource | None) -> Iterator[LabelSet]:
    """Every set of labels of a `gcp:` resource, including the provider's default labels."""
    argument = argument_of(resource.type)
    if argument is not None:
        own, every = at(resource.inputs, argument), resource.outputs.get("pulumiLabels")
        labels = labels_with_defaults(own, every, setting(provider, "defaultLabels"))
        yield LabelSet(where="labels", labels=labels, syntax=LabelSyntax.GOOGLE, place=(argument,), own=True)
    yield from _of_disks(resource)
    for pool in declared_pools(resource):
        yield from _of_nodes(pool, resource)


def _of_disks(resource: Resource) -> Iterator[LabelSet]:
    """Labels of the disks that an instance or a template creates.

    Neither the labels of the instance nor those of the provider reach them. Sources:
    hashicorp/terraform-provider-google#8861; hashicorp/terraform-provider-google#3766.
    """
    for place, disk in _created_disks(resource):
        of = "boot disk" if place[0] == "bootDisk" else f"disk {place[1]}"
        labels = labels_at(at(disk, "labels"))
        yield LabelSet(where=f"labels of its {of}", labels=labels, syntax=LabelSyntax.GOOGLE, place=(*place, "labels"))


def _created_disks(resource: Resource) -> Iterator[tuple[Place, Any]]:
    """(place, disk) of each persistent disk that no other resource declares."""
    if resource.type == _INSTANCE and at(resource.inputs, "bootDisk", "source") is None:
        yield ("bootDisk", "initializeParams"), at(resource.inputs, "bootDisk", "initializeParams")
    for index, disk in enumerate(known_items(resource.inputs, "disks") if resource.type in _TEMPLATES else ()):
        local = at(disk, "type") == "SCRATCH" or at(disk, "diskType") == "local-ssd"
        if at(disk, "source") is None and not local:
            yield ("disks", index), disk


def with_stack(sets: Iterable[LabelSet], resource: Resource, resources: Resources) -> Iterator[LabelSet]:
    """Label sets of a node pool; if it keeps those of its creation, with the labels that its cluster sets on all of its
    machines.

    Changing a node pool's own labels recreates its nodes, so a label required later can only be set on the cluster.
    Sources: GKE API, Cluster.resourceLabels; gcloud reference, container node-pools, --labels.
    """
    kept = ".".join(_MACHINES) in resource.keeps
    for labels in sets:
        pool = next(declared_pools(resource), None) if kept and labels.place == _MACHINES else None
        cluster = None if pool is None else cluster_of(pool, resources)
        of_cluster = UNKNOWN if cluster is None else labels_at(cluster.inputs.get("resourceLabels"))
        if of_cluster is UNKNOWN or labels.labels is UNKNOWN:
            yield labels
        else:
            yield replace(labels, labels={**labels.labels, **of_cluster})


def _of_nodes(pool: GcpPool, resource: Resource) -> Iterator[LabelSet]:
    of = "" if pool.prop is None or pool.name == resource.name else f" in `{pool.name}`"
    yield LabelSet(
        where=f"resourceLabels of the machines it starts{of}",
        labels=labels_at(pool.at("nodeConfig", "resourceLabels")),
        syntax=LabelSyntax.GOOGLE,
        place=(*pool.place, "nodeConfig", "resourceLabels"),
    )
    yield node_labels(pool.at(*pool.node_labels), (*pool.place, *pool.node_labels), KUBELET_DOMAINS, of)

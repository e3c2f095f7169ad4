"""The cloud that a Karpenter pool starts machines in: its node class says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from gpucluster.cost.handlers import azure_place, karpenter_aws, karpenter_azure, karpenter_gcp
from gpucluster.cost.handlers.gcp_place import region_of
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject

__all__ = ["KarpenterCloud", "cloud_of"]


@dataclass(frozen=True, slots=True)
class KarpenterCloud:
    """What differs between the clouds.

    provider: price book file. cluster, node_class: type tokens. region_of_zone: None where the name does not tell.
    disks: the lines of a node class for a machine type, a number of machines and a region. machine_keys: requirements
    that name machine types.
    """

    provider: str
    cluster: str
    node_class: str
    region_of_zone: Callable[[str], str | None]
    disks: Callable[[Subject, str, Count, str], Iterator[CostLine | NotPriced]]
    machine_keys: tuple[str, ...] = ("node.kubernetes.io/instance-type",)


_CLOUDS: Final = {
    "karpenter.k8s.aws": KarpenterCloud(
        "aws",
        "aws:eks/cluster:Cluster",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        karpenter_aws.region_of_zone,
        karpenter_aws.disks,
    ),
    "karpenter.k8s.gcp": KarpenterCloud(
        "gcp",
        "gcp:container/cluster:Cluster",
        "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass",
        region_of,
        karpenter_gcp.disks,
    ),
    "karpenter.azure.com": KarpenterCloud(
        "azure",
        azure_place.CLUSTER,
        "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
        azure_place.region_of_zone,
        karpenter_azure.disks,
        ("node.kubernetes.io/instance-type", "karpenter.azure.com/sku-name"),
    ),
}
"""API group of the node class -> cloud."""


def cloud_of(ask: Subject) -> KarpenterCloud:
    """The cloud of a pool, by `spec.template.spec.nodeClassRef.group`. Raises CannotPrice for one not known here."""
    group = ask.text("spec", "template", "spec", "nodeClassRef", "group", default="karpenter.k8s.aws")
    if group not in _CLOUDS:
        raise CannotPrice(f"its node class is of {group!r}; priced are {', '.join(_CLOUDS)}")
    return _CLOUDS[group]

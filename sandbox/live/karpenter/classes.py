"""The node classes that the program of this folder simulates, and the specifics of their providers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_ZONE: Final = "topology.kubernetes.io/zone"
_PRIORITY: Final = "kubernetes.azure.com/scalesetpriority"


@dataclass(frozen=True, kw_only=True)
class NodeClass:
    """The class of one cloud's Karpenter.

    cloud: in the table of machines. zone_labels: labels by which a pool may select its zone, the usual one first.
    spot_pause: seconds during which the provider requests no spot machine of a type after a preemption; 0 if it gets no
    notice of preemptions. purchase_labels: added to machines, by purchase option. not_read: parts of the class that the
    simulation ignores.
    """

    cloud: str
    version: str
    kind: str
    zone_labels: tuple[str, ...]
    spot_pause: int
    purchase_labels: Mapping[str, Mapping[str, str]]
    not_read: str


CLASSES: Final[Mapping[str, NodeClass]] = {
    # Sources: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/labels.go, pkg/cache/cache.go (UnavailableOfferingsTTL)
    # and pkg/controllers/interruption/utils.go (markUnavailableOfferings).
    "karpenter.k8s.aws": NodeClass(
        cloud="aws",
        version="v1",
        kind="EC2NodeClass",
        zone_labels=(_ZONE, "topology.k8s.aws/zone-id"),
        spot_pause=180,
        purchase_labels={},
        not_read="image, subnets, security groups, identity and user data",
    ),
    # Source: Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go; its controllers
    # (pkg/controllers/controllers.go) have none for interruptions.
    "karpenter.azure.com": NodeClass(
        cloud="azure",
        version="v1beta1",
        kind="AKSNodeClass",
        zone_labels=(_ZONE,),
        spot_pause=0,
        # pkg/providers/instance/vminstance.go.
        purchase_labels={"spot": {_PRIORITY: "spot"}, "on-demand": {_PRIORITY: "regular"}},
        not_read="image family, subnet, GPU driver mode and tags",
    ),
}
"""API group -> its class."""

NOT_SIMULATED: Final[Mapping[str, str]] = {
    "karpenter.k8s.gcp": "karpenter-provider-gcp, whose definitions no registry has",
}
"""API group -> the provider of pools that never get a machine here."""

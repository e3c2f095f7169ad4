"""EKS add-ons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free, NotPriced
from gpucluster.cost.pricing import Pricing

_WITHOUT_CHARGE: Final = frozenset(
    {
        "aws-ebs-csi-driver",
        "aws-efs-csi-driver",
        "aws-fsx-csi-driver",
        "aws-mountpoint-s3-csi-driver",
        "coredns",
        "eks-node-monitoring-agent",
        "eks-pod-identity-agent",
        "kube-proxy",
        "metrics-server",
        "snapshot-controller",
        "vpc-cni",
    }
)
"""Add-ons of AWS and of the community that only run pods. What a driver makes is priced with the claim for it.
`amazon-cloudwatch-observability`, `adot` and others send data that AWS bills, and those of the marketplace have a
price of their own, so they are not here."""

_SOURCE: Final = "https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html"


@prices("aws:eks/addon:Addon")
def addon(item: Pricing) -> Iterator[Free | NotPriced]:
    """Add-ons that only run pods are free; others bill what they send, or a fee (EKS user guide, add-ons)."""
    name = item.text("addonName")
    if name in _WITHOUT_CHARGE:
        yield item.free("no charge for this add-on; it runs on nodes that are priced", _SOURCE)
    else:
        yield item.not_priced(f"add-on {name!r}: may have a marketplace fee, or send data that AWS bills")

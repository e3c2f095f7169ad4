"""EKS control planes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.cost.handlers.aws_telemetry import control_plane_logs, has_own_group
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing


@prices("aws:eks/cluster:Cluster")
def cluster(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """An hour of one control plane: standard rate, or extended rate instead (EKS price page).

    A cluster whose `upgradePolicy.supportType` is STANDARD is upgraded at the end of standard support and never pays
    the extended rate; without it, support is extended by default (EKS user guide, Kubernetes version lifecycle).
    Auto Mode (`computeConfig.enabled`) starts machines and bills a fee for each (EKS price page, EKS Auto Mode).
    """
    support, why = _support(item)
    price = item.price(f"eks-cluster-{support}-support", "hour")
    yield item.line(
        f"EKS control plane, {support} support", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=why
    )
    if item.items("enabledClusterLogTypes") and not has_own_group(item):
        yield control_plane_logs(item, item.resource)
    tier = item.text("controlPlaneScalingConfig", "tier", default="standard")
    if tier != "standard":
        yield item.not_priced(f"provisioned control plane {tier}: the price book has no row for it")
    if item.get("computeConfig", "enabled"):
        yield item.not_priced("Auto Mode: EKS starts machines that no plan shows", compute=True)


def _support(item: Pricing) -> tuple[str, str]:
    """(`standard` or `extended`, why)."""
    if item.text("upgradePolicy", "supportType", default="EXTENDED") == "STANDARD":
        return "standard", ""
    if item.get("version") is None:
        return "standard", "no Kubernetes version is declared: the newest, in standard support"
    version, known = item.text("version"), kubernetes_versions("aws")
    try:
        parts = minor(version)
    except ValueError:
        raise CannotPrice(f"version is {version!r}, expected a Kubernetes version such as '1.35'") from None
    newest = [*known][-1]
    if parts > minor(newest):
        return "standard", f"Kubernetes {version} is newer than {newest}: assumed in standard support"
    if version not in known:
        return "extended", f"Kubernetes {version} is older than the release calendar: extended support"
    end = known[version].standard_ends
    if item.book.today > end:
        return "extended", f"Kubernetes {version} left standard support on {end}"
    return "standard", f"Kubernetes {version} is in standard support until {end}"


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

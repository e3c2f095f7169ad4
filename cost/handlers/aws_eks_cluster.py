"""EKS control planes."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.cost.handlers.aws_log_group import control_plane_logs, has_own_group
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject


@prices("aws:eks/cluster:Cluster")
def cluster(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """An hour of one control plane: standard rate, or extended rate in its stead (EKS price page).

    A cluster whose `upgradePolicy.supportType` is STANDARD is upgraded at the end of standard support and never pays
    the extended rate; without it, support is extended by default (EKS user guide, Kubernetes version lifecycle).
    Auto Mode (`computeConfig.enabled`) starts machines and bills a fee for each (EKS price page, EKS Auto Mode).
    """
    support, why = _support(ask)
    price = ask.price(f"eks-cluster-{support}-support", "hour")
    yield ask.line(
        f"EKS control plane, {support} support", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=why
    )
    if ask.items("enabledClusterLogTypes") and not has_own_group(ask):
        yield control_plane_logs(ask, ask.resource)
    tier = ask.text("controlPlaneScalingConfig", "tier", default="standard")
    if tier != "standard":
        yield ask.not_priced(f"provisioned control plane {tier}: the price book has no row for it")
    if ask.get("computeConfig", "enabled"):
        yield ask.not_priced("Auto Mode: EKS starts machines by itself, which no plan shows", compute=True)


def _support(ask: Subject) -> tuple[str, str]:
    """(`standard` or `extended`, why)."""
    if ask.text("upgradePolicy", "supportType", default="EXTENDED") == "STANDARD":
        return "standard", ""
    if ask.get("version") is None:
        return "standard", "no Kubernetes version is declared: the newest, in standard support"
    version, known = ask.text("version"), kubernetes_versions("aws")
    try:
        parts = minor(version)
    except ValueError:
        raise CannotPrice(f"version is {version!r}, expected a Kubernetes version such as '1.35'") from None
    newest = [*known][-1]
    if parts > minor(newest):
        return "standard", f"Kubernetes {version} is newer than {newest}: taken to be in standard support"
    if version not in known:
        return "extended", f"Kubernetes {version} is older than the release calendar: extended support"
    end = known[version].standard_ends
    if ask.book.today > end:
        return "extended", f"Kubernetes {version} left standard support on {end}"
    return "standard", f"Kubernetes {version} is in standard support until {end}"

"""EKS control planes."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject

END_OF_STANDARD_SUPPORT: Final = {
    "1.29": datetime.date(2025, 3, 23),
    "1.30": datetime.date(2025, 7, 23),
    "1.31": datetime.date(2025, 11, 26),
    "1.32": datetime.date(2026, 3, 23),
    "1.33": datetime.date(2026, 7, 29),
    "1.34": datetime.date(2026, 12, 2),
    "1.35": datetime.date(2027, 3, 27),
}
"""Kubernetes version -> last day at the standard rate.
Source: release calendar of the EKS user guide as copied by endoflife.date/amazon-eks, 2026-02."""


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
    if ask.items("enabledClusterLogTypes") and not _has_own_log_group(ask):
        gib = ask.assumptions.log_gib
        said = f"log_gib: {gib} GiB a month of control-plane logs taken in; storage of kept logs is not in the total"
        yield ask.line("Control-plane logs taken in", gib, ask.price("cloudwatch-logs-ingest", "GiB"), assumption=said)
    tier = ask.text("controlPlaneScalingConfig", "tier", default="standard")
    if tier != "standard":
        yield ask.not_priced(f"provisioned control plane {tier}: the price book has no row for it")
    if ask.get("computeConfig", "enabled"):
        yield ask.not_priced("Auto Mode: EKS starts machines by itself, which no plan shows", compute=True)


def _has_own_log_group(ask: Subject) -> bool:
    """Whether the stack declares the log group that EKS writes to, which is priced by itself then."""
    group = f"/aws/eks/{ask.get('name')}/cluster"
    return any(found.inputs.get("name") == group for found in ask.resources.of_type("aws:cloudwatch/logGroup:LogGroup"))


def _support(ask: Subject) -> tuple[str, str]:
    """(`standard` or `extended`, why)."""
    if ask.text("upgradePolicy", "supportType", default="EXTENDED") == "STANDARD":
        return "standard", ""
    if ask.get("version") is None:
        return "standard", "no Kubernetes version is declared: the newest, in standard support"
    version = ask.text("version")
    try:
        parts = tuple(int(part) for part in version.split("."))
    except ValueError:
        raise CannotPrice(f"version is {version!r}, expected a Kubernetes version such as '1.35'") from None
    newest = max(END_OF_STANDARD_SUPPORT, key=_numbers)
    if parts > _numbers(newest):
        return "standard", f"Kubernetes {version} is newer than {newest}: taken to be in standard support"
    end = END_OF_STANDARD_SUPPORT.get(version)
    if end is None:
        return "extended", f"Kubernetes {version} is older than the release calendar: extended support"
    if ask.book.today > end:
        return "extended", f"Kubernetes {version} left standard support on {end}"
    return "standard", f"Kubernetes {version} is in standard support until {end}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))

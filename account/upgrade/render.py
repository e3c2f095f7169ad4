"""The upgrade steps as text."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence

from gpucluster.account.upgrade.standing import Standing
from gpucluster.account.upgrade.steps import Step, next_version
from gpucluster.catalog.eks_addons import builds_of
from gpucluster.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.components.kubernetes.charts import JOBSET, KUEUE, TRAINER

_OF_JOBS = {chart.chart for chart in (KUEUE, JOBSET, TRAINER)}
# Minor versions. Source: Amazon EKS user guide, "Update existing cluster to new Kubernetes version".
_MOST_BEHIND_ON_EKS = 3
_SERVICES = {"aws": "EKS", "gcp": "GKE", "azure": "AKS"}


def as_text(found: Standing, way: Sequence[Step], *, to: str | None, today: datetime.date, price: str) -> str:
    """price: of extended support, in words."""
    return "\n".join([*_old(found), "", *_ends(found, today, price), "", *_way(way, to)])


def _old(found: Standing) -> Iterator[str]:
    newest = [*kubernetes_versions(found.cloud)][-1]
    yield f"{found.cluster} on {_SERVICES[found.cloud]}: Kubernetes {found.control_plane}; the newest known is {newest}"
    for pool in found.pools:
        kind = "GPU nodes" if pool.gpus else "CPU nodes"
        known = re.match(r"\d{1,3}\.\d{1,3}\b", pool.version)
        late = minor(found.control_plane)[1] - minor(pool.version)[1] if known else 0
        behind = f", {late} minor version{'s' if late > 1 else ''} behind" if late > 0 else ""
        if found.cloud == "aws" and late >= _MOST_BEHIND_ON_EKS:
            behind += ": EKS upgrades the control plane only after it, even if it has no nodes"
        yield f"  {pool.name}: {kind}, {pool.version}{behind}{f', image {pool.image}' if pool.image else ''}"
    to = next_version(found)
    for name, build in found.addons.items():
        known = ", ".join(builds_of(name, to).recorded) if to else ""
        yield f"  add-on {name}: {build}{f'; known for Kubernetes {to}: {known}' if known else ''}"
    for release in found.releases:
        if release.version != release.pinned:
            yield f"  chart {release.chart}: {release.version}; this release of gpucluster has {release.pinned}"
    if any(release.chart in _OF_JOBS and release.version != release.pinned for release in found.releases):
        yield "  before pulumi up, follow docs/upgrading-jobs.md: Helm may delete all TrainJobs and runtimes otherwise"
    if all(release.version == release.pinned for release in found.releases):
        yield "  charts: up to date with this release of gpucluster"


def _ends(found: Standing, today: datetime.date, price: str) -> Iterator[str]:
    version = ".".join(map(str, minor(found.control_plane)))
    known = kubernetes_versions(found.cloud).get(version)
    if known is None:
        yield f"The end of support of Kubernetes {version} is unknown"
        return
    days = (known.standard_ends - today).days
    when = f"in {days:,} days" if days >= 0 else f"{-days:,} days ago"
    yield f"Standard support of Kubernetes {version} ends on {known.standard_ends}, {when}"
    extended = f"until {known.extended_ends}" if known.extended_ends else "for an unknown time"
    how = "is bought" if found.extended else "is not enabled (versions.support: extended)"
    yield f"Extended support {extended} {how}; {price}"


def _way(way: Sequence[Step], to: str | None) -> Iterator[str]:
    if to is None:
        yield "No newer version is known"
        return
    yield f"Upgrade to {to} in this order; edit the spec, and run:"
    for number, step in enumerate(way, start=1):
        yield f"{number}. {step.title}"
        yield f"   {step.what}"
        yield from (f"     {line}" for line in step.spec)
        yield from (f"   $ {line}" for line in step.commands)

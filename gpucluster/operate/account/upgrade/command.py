"""The upgrade steps as text."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TextIO

import click

from gpucluster.components.kubernetes.objects.charts import JOBSET, KUEUE, TRAINER
from gpucluster.core.catalog.kubernetes_versions import builds_of, kubernetes_versions, minor
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, cents
from gpucluster.operate.account.pulumi import of_user
from gpucluster.operate.account.upgrade.running_versions import Standing, standing
from gpucluster.operate.account.upgrade.steps import Stake, Step, next_version, steps
from gpucluster.options import STACK

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


_EXTENDED = {"aws": ("aws", "eks-cluster-extended-support"), "azure": ("azure", "aks-premium-tier")}


@click.command()
@click.option("--plan", is_flag=True, required=True, help="Print the steps; you run each one with `pulumi up`.")
@click.option("--stack", "-s", type=STACK, help="Stack of the cluster.  [default: the selected one]")
@click.option(
    "--state",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="State file (`pulumi stack export`) to read instead of calling pulumi; - for stdin.",
)
def upgrade(plan: bool, stack: str | None, state: TextIO | None) -> None:
    """Print outdated versions of a cluster and the upgrade steps.

    Prints when support of its Kubernetes version ends, what extended support costs, and the steps in order: control
    plane, system pool, one GPU node, the rest, with the edits of the spec and the commands. Changes nothing.
    """
    del plan
    text, name = (state.read(), state.name) if state else (_export(stack), "the output of `pulumi stack export`")
    resources = read_text(text, name)
    found, to = standing(resources), None
    to = next_version(found)
    way = [] if to is None else steps(found, to, stack=stack or resources.stack, stake=_stake(found, resources))
    today = datetime.datetime.now(datetime.UTC).date()
    click.echo(as_text(found, way, to=to, today=today, price=_price(found.cloud)))


def _export(stack: str | None) -> str:
    return of_user("read the state of a stack", "or give a file with --state").read("stack", "export", stack=stack)


def _stake(found: Standing, resources: Resources) -> Stake:
    """The stake of the GPU pools, at their current purchase option."""
    urns = {pool.urn for pool in found.pools if pool.gpus}
    lines = [line for line in estimate(resources).lines if line.urn in urns]
    usd = cents(sum((line.monthly for line in lines), Decimal(0)) / HOURS_PER_MONTH) if lines else None
    return Stake(gpus=sum(pool.gpus for pool in found.pools), usd=usd)


def _price(cloud: str) -> str:
    """The price of extended support; per hour and cluster, in all regions."""
    if cloud not in _EXTENDED:
        return "its additional fee is in no price book"
    prices = sorted({row.usd_per_unit for row in PriceBook().of_sku(*_EXTENDED[cloud])})
    shown = " to ".join(dict.fromkeys(f"${price:.2f}" for price in (prices[0], prices[-1])))
    return f"the control plane then costs {shown} an hour"

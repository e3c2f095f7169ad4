"""`gpucluster upgrade`: the steps to the newest versions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TextIO

import click

from gpucluster.components.kubernetes.objects.charts import JOBSET, KUEUE, TRAINER
from gpucluster.core.catalog.kubernetes_versions import builds_of, kubernetes_versions, minor
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, cents
from gpucluster.operate.account.pulumi import users_pulumi
from gpucluster.operate.versions.running_versions import SERVICES, RunningVersions, running_versions
from gpucluster.options import stack_option

# GKE's nodes accept only a full version.
_FULL: Final = "1.{}.X-gke.Y"
_WHICH: Final = {
    "aws": "aws ssm get-parameter --region {region} --name /aws/service/eks/optimized-ami/{to}/amazon-linux-2023"
    "/x86_64/nvidia/recommended/release_version  # pins kernel and driver: write it in place of {to}",
    "gcp": "gcloud container get-server-config --region REGION  # lists full versions: write one in place of {nodes}",
    "azure": "az aks get-upgrades --resource-group {group} --name {cluster}",
}
# A request of the cluster can't have the version of one pool only: components/azure/control_plane.py.
_SYSTEM_OF_AKS: Final = (
    "az aks nodepool upgrade --resource-group {group} --cluster-name {cluster} --name system --kubernetes-version {to}"
)
# The canary's image for the other nodes: AKS gives a pool its newest, which may have another kernel by then. In the
# cluster's group, because the canary's is deleted.
_SNAPSHOT: Final = (
    "az aks nodepool snapshot create --resource-group {group} --name {name} --query id --output tsv --nodepool-id "
    "$(pulumi stack output account --stack {canary})/providers/Microsoft.ContainerService/managedClusters"
    "/$(pulumi stack output clusterName --stack {canary})/agentPools/training"
)


@dataclass(frozen=True, kw_only=True)
class Stake:
    """The cost of an hour since the last checkpoint. usd: None if no price is known."""

    gpus: int
    usd: Decimal | None

    def __str__(self) -> str:
        return f"{self.gpus:,} GPU-hours, {'price not known' if self.usd is None else f'${self.usd:,.2f}'}"


@dataclass(frozen=True, kw_only=True)
class Step:
    """title: the upgraded part. what: the effect on nodes and jobs. spec: lines to write into it. commands: to run
    then.
    """

    title: str
    what: str
    spec: tuple[str, ...]
    commands: tuple[str, ...]


def next_version(found: RunningVersions) -> str | None:
    """The next minor version of the cloud in our sources; None if there is none."""
    major, now = minor(found.control_plane)
    wanted = f"{major}.{now + 1}"
    return wanted if wanted in kubernetes_versions(found.cloud) else None


def steps(found: RunningVersions, to: str, *, stack: str, stake: Stake) -> list[Step]:
    """The steps in order. to: the next minor version. stake: of all GPU nodes."""
    major, now = minor(found.control_plane)
    nodes = _FULL.format(to.split(".")[1]) if found.cloud == "gcp" else to
    aws, azure = found.cloud == "aws", found.cloud == "azure"
    # AKS' GPU nodes follow the control plane, unless the spec sets their version.
    stay = (f"  nodes: '{major}.{now}'",) if azure else ()
    go = (f"pulumi preview --stack {stack}", f"pulumi up --stack {stack}")
    names = {"to": to, "nodes": nodes, "cluster": found.cluster, "group": found.group, "region": found.region}
    which = _WHICH[found.cloud].format(**names)
    canary = f"{stack}-canary"
    plane = ("versions:", f"  kubernetes: '{to}'", *_builds(found, to))
    system = () if azure else (f"  system: '{nodes}'",)
    all_new = (*plane, *system, f"  nodes: '{nodes}'")
    one = "cost of one node of the training pool, and of a cluster, for the duration of the test"
    return [
        Step(
            title=f"control plane: {major}.{now} to {to}",
            what="nodes and jobs stay; cannot be undone",
            spec=(*plane, *stay),
            commands=(*_addons(found, to), *go),
        ),
        Step(
            title="system pool",
            what="CPU nodes are replaced one by one, with one extra node meanwhile; no job runs on them",
            spec=() if azure else (*plane, *system, *stay),
            commands=(which, _SYSTEM_OF_AKS.format(**names)) if azure else (*(() if aws else (which,)), *go),
        ),
        Step(
            title="one GPU node, in its own stack",
            what=f"nodes of {stack} stay; {one}",
            spec=("training: {nodes: 1, spares: 0}  # in specs/canary.yaml, a copy", *all_new),
            commands=(
                *((which,) if aws else ()),
                f"pulumi stack init {canary} --copy-config-from {stack} --no-select",
                f"pulumi config set gpucluster:spec specs/canary.yaml --stack {canary}",
                f"pulumi up --stack {canary}",
                f"gpucluster connect --stack {canary}",
                "gpucluster acceptance run --results acceptance-canary",
                *(
                    (_SNAPSHOT.format(group=found.group, name=_dashed(f"{stack}-{to}"), canary=canary),)
                    if azure
                    else ()
                ),
                f"pulumi destroy --stack {canary}",
            ),
        ),
        Step(
            title=f"the rest: {', '.join(_of_gpus(found)) or 'no GPU pool'}",
            what="nodes are replaced or reimaged one by one, and jobs on them end; at stake for each hour since the "
            f"last checkpoint: {stake}",
            spec=("training: {roll: true}", *all_new, *(("  image: ID  # the snapshot's",) if azure else ())),
            commands=(
                'kubectl patch clusterqueue training --type merge -p \'{"spec":{"stopPolicy":"Hold"}}\'',
                "kubectl get workloads --namespace training  # wait until none runs",
                *go,
                'kubectl patch clusterqueue training --type merge -p \'{"spec":{"stopPolicy":"None"}}\'',
                f"pulumi up --stack {stack}  # with roll: true removed",
            ),
        ),
    ]


def _dashed(name: str) -> str:
    """A name for a snapshot."""
    return name.replace(".", "-")[:63]


def _of_gpus(found: RunningVersions) -> list[str]:
    return [pool.name for pool in found.pools if pool.gpus]


def _builds(found: RunningVersions, to: str) -> tuple[str, ...]:
    """The line of a spec with the first known builds of the next version; an add-on keeps its own if it is one of them,
    or none is known.
    """
    known = {name: builds_of(name, to).recorded for name in found.addons}
    chosen = ", ".join(
        f"{name}: {builds[0]}" for name, builds in known.items() if builds and found.addons[name] not in builds
    )
    return (f"  addons: {{{chosen}}}",) if chosen else ()


def _addons(found: RunningVersions, to: str) -> tuple[str, ...]:
    """Add-ons of EKS keep their builds until the spec names others.

    Source: Amazon EKS user guide, "Update an Amazon EKS add-on" and "Verify add-on version compatibility".
    """
    if not found.addons:
        return ()
    default = (
        f"aws eks describe-addon-versions --region {found.region} --kubernetes-version {to} --addon-name $addon "
        "--output text --query 'addons[0].addonVersions[?compatibilities[0].defaultVersion].addonVersion'"
    )
    names = " ".join(found.addons)
    return (f"for addon in {names}; do echo $addon: $({default}); done  # defaults of EKS, for versions.addons",)


_OF_JOBS = {chart.chart for chart in (KUEUE, JOBSET, TRAINER)}
# Minor versions. Source: Amazon EKS user guide, "Update existing cluster to new Kubernetes version".
_MOST_BEHIND_ON_EKS = 3


def as_text(found: RunningVersions, way: Sequence[Step], *, to: str | None, today: datetime.date, price: str) -> str:
    """price: of extended support, as text."""
    return "\n".join([*_old(found), "", *_ends(found, today, price), "", *_way(way, to)])


def _old(found: RunningVersions) -> Iterator[str]:
    newest = [*kubernetes_versions(found.cloud).values()][-1]
    yield (
        f"{found.cluster} on {SERVICES[found.cloud]}: Kubernetes {found.control_plane}; the newest known on "
        f"{newest.as_of} is {newest.version}"
    )
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
        if not release.up_to_date:
            pinned = release.pin.version if release.pin else "none"
            yield f"  chart {release.chart}: {release.version}; this release of gpucluster has {pinned}"
    if any(release.chart in _OF_JOBS and not release.up_to_date for release in found.releases):
        yield (
            "  before pulumi up, follow docs/operate/upgrading-jobs.md: Helm may delete all TrainJobs and runtimes "
            "otherwise"
        )
    if all(release.up_to_date for release in found.releases):
        yield "  charts: up to date with this release of gpucluster"
    for pin in (release.pin for release in found.releases if release.pin and release.pin.behind):
        newer = pin.newest
        yield f"  chart {pin.name}: {newer.version} is known on {newer.as_of}; {newer.stays or 'not in use yet'}"


def _ends(found: RunningVersions, today: datetime.date, price: str) -> Iterator[str]:
    version = ".".join(map(str, minor(found.control_plane)))
    known = kubernetes_versions(found.cloud).get(version)
    if known is None or known.standard_ends is None:
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
@stack_option("Stack of the cluster.  [default: the selected one]")
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
    found, to = running_versions(resources), None
    to = next_version(found)
    way = [] if to is None else steps(found, to, stack=stack or resources.stack, stake=_stake(found, resources))
    today = datetime.datetime.now(datetime.UTC).date()
    click.echo(as_text(found, way, to=to, today=today, price=_price(found.cloud)))


def _export(stack: str | None) -> str:
    return users_pulumi("read the state of a stack", "or give a file with --state").read("stack", "export", stack=stack)


def _stake(found: RunningVersions, resources: Resources) -> Stake:
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

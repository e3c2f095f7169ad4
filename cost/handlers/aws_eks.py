"""EKS: clusters, and logs and metrics in CloudWatch."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

_GROUP: Final = "aws:cloudwatch/logGroup:LogGroup"
_FLOW_LOG: Final = "aws:ec2/flowLog:FlowLog"
_CLUSTER: Final = "aws:eks/cluster:Cluster"
_STACK: Final = "pulumi:pulumi:Stack"
_NODES: Final = "aws:eks/nodeGroup:NodeGroup"
_LEAVES: Final = "storage of kept logs is not in the total"


@prices(_GROUP)
def log_group(item: Pricing) -> Iterator[CostLine]:
    """GiB ingested (CloudWatch price page): `log_gib`, else an assumption if a cluster sends its logs there."""
    name = item.resource.inputs.get("name")
    cluster = next(
        (
            one
            for one in item.resources.of_type(_CLUSTER)
            if _own_group(one) == name and item.of(one).items("enabledClusterLogTypes")
        ),
        None,
    )
    flows = any(item.resources.referred(one, "logDestination", _GROUP) is item.resource
                for one in item.resources.of_type(_FLOW_LOG))  # fmt: skip
    pods_of = next((one for one in item.resources.of_type(_CLUSTER) if _group_of_pods(one) ==
                    item.resource.inputs.get("name")), None)  # fmt: skip
    if pods_of is not None:
        yield _taken_in(item, "Pod logs ingested", pods_of, "pod_log_gib_per_node")
    elif cluster is not None:
        yield control_plane_logs(item, cluster)
    elif flows:
        yield _taken_in(item, "Flow logs ingested", None, "flow_log_gib_per_node")
    else:
        price = item.price("cloudwatch-logs-ingest", "GiB")
        yield item.by_usage("Logs ingested", "log_gib", price, leaves=_LEAVES)


def control_plane_logs(item: Pricing, cluster: Resource) -> CostLine:
    """What an EKS control plane writes, by its nodes."""
    return _taken_in(item, "Control-plane logs ingested", cluster, "eks_log_gib_per_node", "eks_log_gib")


def has_own_group(item: Pricing) -> bool:
    """Whether the stack declares the log group that a cluster writes to, which is priced by itself then."""
    return any(found.inputs.get("name") == _own_group(item.resource) for found in item.resources.of_type(_GROUP))


def _around(item: Pricing, resource: Resource) -> str | None:
    """URN of the outermost component around a resource, None without one."""
    around = [one.urn for one in item.resources.parents(resource) if not one.custom and one.type != _STACK]
    return around[-1] if around else None


def _own_group(cluster: Resource) -> str:
    return f"/aws/eks/{cluster.inputs.get('name')}/cluster"


def _group_of_pods(cluster: Resource) -> str:
    """As Container Insights names it (Amazon CloudWatch user guide, Container-Insights-setup-logs-FluentBit)."""
    return f"/aws/containerinsights/{cluster.inputs.get('name')}/application"


def _taken_in(item: Pricing, name: str, cluster: Resource | None, each: str, base: str = "") -> CostLine:
    """GiB of a base and of each node; `log_gib`, where it is set, takes their place."""
    price = item.price("cloudwatch-logs-ingest", "GiB")
    if item.assumptions.log_gib:
        return item.by_usage(name, "log_gib", price, leaves=_LEAVES)
    nodes, used = _nodes(item, cluster), tuple(filter(None, (base, each)))
    gib = nodes * item.assumptions.amount(each) + (item.assumptions.amount(base) if base else Decimal(0))
    assumption = ", ".join(item.assumptions.text(one) for one in used)
    return item.line(
        name,
        gib,
        price,
        basis=f"{plain(gib)} GiB",
        assumption=f"our estimate for {plain(nodes)} nodes: {assumption}; {_LEAVES}",
        usage=("log_gib", *used),
    )


def _nodes(item: Pricing, cluster: Resource | None) -> Decimal:
    """Nodes of one cluster's node groups, or of those within the same outermost component, which flow logs are of."""
    total, around = Decimal(0), _around(item, item.resource)
    for group in item.resources.of_type(_NODES):
        of = item.resources.referred(group, "clusterName", _CLUSTER)
        if of in (cluster, None) if cluster is not None else _around(item, group) == around:
            try:
                total += item.of(group).number("scalingConfig", "desiredSize")
            except CannotPrice:  # it is named with its own resource
                continue
    return total


EXPECTED: Final = "gpucluster/expected-million-samples"
"""Tag that says how many millions of samples a workspace takes in a month; goes before `prometheus_million_samples`."""

_USAGE: Final = ("prometheus_million_samples",)

_BYTES: Final = 2
"""Bytes of a stored sample: "typically 1 or 2" (price page of Amazon Managed Service for Prometheus)."""
_KEPT_MONTHS: Final = Decimal(150 * 24) / HOURS_PER_MONTH
"""Months of samples that are there: the default retention is 150 days (its user guide)."""
_PER_PRICE: Final = 10
"""Millions of samples that one price buys."""


_WORKSPACE: Final = "aws:amp/workspace:Workspace"


@prices(_WORKSPACE)
def workspace(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Samples ingested, by 10 million, and stored. Queries are not in the total."""
    millions, where = _millions(item)
    yield from or_named(item, _aws_prometheus_taken_in(item, millions, where))
    yield from or_named(item, _kept(item, millions))


def _millions(item: Pricing) -> tuple[Decimal, str]:
    """Millions of samples a month that the workspace asked about takes, and what says so."""
    value = item.get("tags", EXPECTED)
    if value is None:
        return item.assumptions.prometheus_million_samples, "prometheus_million_samples"
    return as_number(value, EXPECTED), f"tag {EXPECTED} of {item.resource.name}"


def _aws_prometheus_taken_in(item: Pricing, millions: Decimal, where: str) -> Iterator[CostLine]:
    yield item.line(
        "Prometheus samples",
        millions / _PER_PRICE,
        item.price("amp-samples-ingested", "10M-samples"),
        basis=f"{millions:,f} M samples",
        assumption=f"{millions:,f} million samples a month ({where}); queries are not in the total",
        usage=_USAGE,
    )


def _kept(item: Pricing, millions: Decimal) -> Iterator[CostLine]:
    gib = (millions * 1_000_000 * _BYTES * _KEPT_MONTHS / 2**30).quantize(Decimal("0.001"))
    assumption = "samples are kept for 150 days, at 2 bytes each; metric names and labels are not counted"
    price = item.price("amp-storage", "GiB-month")
    yield item.line("Prometheus storage", gib, price, basis=f"{plain(gib)} GiB", assumption=assumption, usage=_USAGE)


@prices("aws:amp/scraper:Scraper")
def scraper(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours of the collector, and its samples: all that its workspace ingests."""
    yield from or_named(item, _hours(item))
    yield from or_named(item, _collected(item))


def _hours(item: Pricing) -> Iterator[CostLine]:
    price = item.price("amp-agentless-collector", "hour")
    yield item.line("Prometheus collector", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _collected(item: Pricing) -> Iterator[CostLine]:
    workspace = item.resources.referred(item.resource, "destination", _WORKSPACE)
    millions, _ = _millions(item.of(workspace)) if workspace else (item.assumptions.prometheus_million_samples, "")
    yield item.line(
        "Prometheus samples collected",
        millions / _PER_PRICE,
        item.price("amp-samples-collected", "10M-samples"),
        basis=f"{millions:,f} M samples",
        assumption="assumes all samples come from the managed collector",
        usage=_USAGE,
    )


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
    if known[version].support(item.book.today) != "standard":
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
"""Add-ons of AWS and of the community that only run pods. Disks of a driver are priced with their claim.
`amazon-cloudwatch-observability`, `adot` and others send data that AWS bills, and those of the marketplace have a
separate price, so they are not here."""

_SOURCE: Final = "https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html"


@prices("aws:eks/addon:Addon")
def addon(item: Pricing) -> Iterator[Free | NotPriced]:
    """Add-ons that only run pods are free; others bill their traffic, or a fee (EKS user guide, add-ons)."""
    name = item.text("addonName")
    if name in _WITHOUT_CHARGE:
        yield item.free("no charge for this add-on; it runs on nodes that are priced", _SOURCE)
    else:
        yield item.not_priced(f"add-on {name!r}: may have a marketplace fee, or send data that AWS bills")

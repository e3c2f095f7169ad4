"""The versions of an existing stack, from its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.components.planning.names import SYSTEM_POOL
from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, items
from gpucluster.core.text.values import shown_value
from gpucluster.errors import InputError
from gpucluster.operate.versions.pins import Pin, pins

SERVICES: Final = {"aws": "EKS", "gcp": "GKE", "azure": "AKS"}
_CLUSTERS: Final = {
    "aws:eks/cluster:Cluster": ("aws", "version", "name"),
    "gcp:container/cluster:Cluster": ("gcp", "masterVersion", "name"),
    "azure-native:containerservice:ManagedCluster": ("azure", "currentKubernetesVersion", "name"),
}
_POOLS: Final = {
    "aws:eks/nodeGroup:NodeGroup": ("releaseVersion", "version"),
    "gcp:container/nodePool:NodePool": ("version",),
    "azure-native:containerservice:AgentPool": ("currentOrchestratorVersion", "orchestratorVersion"),
}
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Nodes of one resource. image: of the operating system, if the cloud reports it separately. gpus: of all nodes
    together.
    """

    name: str
    urn: str
    version: str
    image: str
    gpus: int


@dataclass(frozen=True, kw_only=True)
class Release:
    """A chart in the cluster. pin: the version in this release of gpucluster; None for another chart."""

    chart: str
    version: str
    pin: Pin | None

    @property
    def up_to_date(self) -> bool:
        """Whether it is that version."""
        return self.pin is not None and self.version == self.pin.version


@dataclass(frozen=True, kw_only=True)
class RunningVersions:
    """group: the resource group on Azure. extended: whether extended support is purchased. addons: of EKS, name ->
    build. region: of EKS, else empty.
    """

    cloud: str
    cluster: str
    group: str
    control_plane: str
    extended: bool
    pools: tuple[Pool, ...]
    releases: tuple[Release, ...]
    addons: Mapping[str, str]
    region: str


def running_versions(resources: Resources) -> RunningVersions:
    """Raises InputError if no cluster exists."""
    found = next((one for one in resources if one.type in _CLUSTERS), None)
    if found is None:
        raise InputError(
            "the state has no EKS, GKE or AKS cluster; create one with `pulumi up`, or choose another stack"
        )
    cloud, version, name = _CLUSTERS[found.type]
    control_plane = str(at(found.outputs, version) or at(found.inputs, "version"))
    try:
        minor(control_plane)
    except ValueError:
        seen = f"the state of cluster {found.name} has version {shown_value(control_plane)}"
        raise InputError(f"{seen}; expected one such as 1.35; `pulumi refresh` reads it from the cloud") from None
    return RunningVersions(
        cloud=cloud,
        cluster=str(at(found.outputs, name) or found.name),
        group=str(at(found.inputs, "resourceGroupName") or ""),
        control_plane=control_plane,
        extended=_extended(found),
        pools=(*_inline(found), *_pools(resources)),
        releases=tuple(_releases(resources)),
        addons=_addons(resources),
        region=str(at(found.outputs, "arn") or ":::").split(":")[3] if cloud == "aws" else "",
    )


def _addons(resources: Resources) -> dict[str, str]:
    found = resources.of_type("aws:eks/addon:Addon")
    builds = {str(at(one.inputs, "addonName")): str(at(one.outputs, "addonVersion") or "not known") for one in found}
    return dict(sorted(builds.items()))


def _extended(cluster: Resource) -> bool:
    bought = (
        at(cluster.inputs, "upgradePolicy", "supportType"),
        at(cluster.inputs, "releaseChannel", "channel"),
        at(cluster.inputs, "supportPlan"),
    )
    return bool({"EXTENDED", "AKSLongTermSupport"}.intersection(map(str, bought)))


def _inline(cluster: Resource) -> Iterator[Pool]:
    """AKS' own pool of CPU nodes, which is part of the cluster."""
    profiles = items(cluster.outputs, "agentPoolProfiles")
    for profile in [] if profiles is UNKNOWN else profiles:
        if at(profile, "name") == SYSTEM_POOL:
            version = at(profile, "currentOrchestratorVersion") or at(profile, "orchestratorVersion")
            image = str(at(profile, "nodeImageVersion") or "")
            yield Pool(name=SYSTEM_POOL, urn=cluster.urn, version=str(version), image=image, gpus=0)


def _pools(resources: Resources) -> Iterator[Pool]:
    for one in sorted(resources, key=lambda resource: resource.name):
        if one.type in _POOLS:
            versions = (at(one.outputs, name) for name in _POOLS[one.type])
            version = next((str(value) for value in versions if value), "not known")
            image = str(at(one.outputs, "nodeImageVersion") or "")
            yield Pool(name=one.name, urn=one.urn, version=version, image=image, gpus=_gpus(one, resources))


def _gpus(pool: Resource, resources: Resources) -> int:
    sizes = (at(pool.inputs, *path) for path in (("scalingConfig", "desiredSize"), ("nodeCount",), ("count",)))
    templates = resources.of_type("aws:ec2/launchTemplate:LaunchTemplate")
    named = [
        *(at(template.inputs, "instanceType") for template in templates if template.parent == pool.parent),
        *(at(pool.inputs, *path) for path in (("nodeConfig", "machineType"), ("vmSize",), ("instanceTypes", 0))),
    ]
    machine = next((machines()[str(name)] for name in named if str(name) in machines()), None)
    return 0 if machine is None else machine.gpus * int(next((size for size in sizes if isinstance(size, int)), 0))


def _releases(resources: Resources) -> Iterator[Release]:
    of_charts = {CHARTS[one.name].chart: one for one in pins() if one.kind == "chart"}
    for one in sorted(resources.of_type(_RELEASE), key=lambda resource: resource.name):
        chart, version = str(at(one.inputs, "chart")), str(at(one.inputs, "version"))
        yield Release(chart=chart, version=version, pin=of_charts.get(chart))

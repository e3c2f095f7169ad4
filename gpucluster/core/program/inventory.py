"""The GPU machines of a stack: every place where a resource, or a component without parts, names one.

Resources of any type are read (`gpu_places.py`), so a form of machine that no rule and no price knows is still here.
What starts none is left out: reservations, rights, definitions, and pods, which run on machines of another resource
except in a GKE Autopilot cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gpucluster.core.catalog.gpu_names import About, GpuName, may_name, names_in
from gpucluster.core.catalog.resource_types import RESERVED_CAPACITY, holdings
from gpucluster.core.program.gpu_places import Number, Numbers, Place, numbers_of, places, texts
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.core.program.values import at, flag, is_list, is_object, known_items, text, whole


@dataclass(frozen=True, kw_only=True)
class GpuMachines:
    """GPU machines that one place of a resource names.

    names: of alternatives, the most powerful first. path: of the input, e.g. `computeResources.instanceTypes`.
    numbers: of machines. gpus: of one machine, 0 if unknown. cluster: URN, or name outside of the stack; None without
    a cluster. unused: whether only a template names them, which no resource of the stack uses.
    """

    resource: Resource
    names: tuple[GpuName, ...]
    path: str
    numbers: Numbers
    gpus: int = 0
    cluster: str | None = None
    unused: bool = False

    @property
    def machine(self) -> str:
        """Its machine type, family or GPU model, as written."""
        return self.names[0].text

    @property
    def cloud(self) -> str | None:
        """None if the name is not of one cloud."""
        return self.names[0].cloud

    @property
    def gpu(self) -> str:
        """Display name of its GPU; empty if unknown here."""
        return self.names[0].gpu

    @property
    def label(self) -> str:
        """For example `64 p5.48xlarge`, or `p5.48xlarge` if their number is unknown."""
        most, named = self.numbers.most, ", ".join(name.text for name in self.names)
        return f"{most} {named}" if isinstance(most, int) and most else named


@once
def inventory(resources: Resources) -> Iterator[GpuMachines]:
    """The GPU machines of a stack, by resource in the order of the source."""
    autopilot = {one.urn for one in resources.of_type(_GKE) if flag(one.inputs, "enableAutopilot") is True}
    found = {one.urn: _of(one, resources, autopilot) for one in resources if not _starts_none(one)}
    templates = {urn: made for urn, made in found.items() if made and _is_template(resources.get(urn))}
    used: set[str] = set()
    for resource in resources:
        behind = [urn for urns in resource.dependencies.values() for urn in urns if urn in templates]
        if behind and resource.urn not in templates:
            used.update(behind)
            if resource.custom and not found.get(resource.urn):
                started = (place for urn in dict.fromkeys(behind) for place in templates[urn])
                found[resource.urn] = [replace(place, numbers=numbers_of(resource.inputs)) for place in started]
    for urn, made in found.items():
        resource = resources.get(urn)
        if resource is not None and made and urn not in used:
            cluster = cluster_of(resource, resources)
            for place in made:
                yield GpuMachines(
                    resource=resource,
                    names=tuple(place.names),
                    path=place.path,
                    numbers=_numbers(place.numbers, resource, resources),
                    gpus=place.gpus,
                    cluster=cluster,
                    unused=urn in templates,
                )


def named_by(resource: Resource, resources: Resources) -> list[GpuMachines]:
    """The GPU machines that one resource names, or a template that it uses; the rest of the stack is read only then."""
    templates = (resources.get(urn) for urns in resource.dependencies.values() for urn in urns)
    if not any(map(_is_template, templates)) and not may_name(
        texts(resource.inputs if resource.custom else resource.registered)
    ):
        return []
    return [found for found in inventory(resources) if found.resource.urn == resource.urn]


def cluster_of(resource: Resource, resources: Resources) -> str | None:
    """URN of the Kubernetes cluster that machines join, or its name outside of the stack; None without one."""
    if resource.type in CLUSTERS:
        return resource.urn
    clusters = _clusters(resources)
    if resource.type.startswith("kubernetes:"):
        provider = resources.get(resource.provider)
        behind = provider.dependencies.get("kubeconfig", ()) if provider is not None else ()
        known = [one.urn for one in resources.present(behind) if one.type in CLUSTERS]
        return next(iter(known or [one.urn for one in clusters if len(clusters) == 1]), resource.provider)
    for key in ("clusterName", "cluster", "resourceName"):
        made = resources.present(resource.dependencies.get(key, ()))
        if found := next((one.urn for one in made if one.type in CLUSTERS), None):
            return found
        if isinstance(given := text(resource.inputs, key), str):
            name = given.rstrip("/").rpartition("/")[2].lower()
            return next((one.urn for one in clusters if name in _names_of(one)), given)
    return None


@once
def _clusters(resources: Resources) -> Sequence[Resource]:
    return resources.of_type(*CLUSTERS)


def scaled_to(resource: Resource, resources: Resources) -> Number:
    """The number of machines to which an autoscaler of the stack may grow a group; None without an autoscaler."""
    found = [most for group, most in _autoscalers(resources) if group == resource.urn]
    return UNKNOWN if UNKNOWN in found else max((one for one in found if isinstance(one, int)), default=None)


_GKE: Final = "gcp:container/cluster:Cluster"
CLUSTERS: Final = (
    "aws:eks/cluster:Cluster",
    _GKE,
    "azure-native:containerservice:ManagedCluster",
    "eks:index:Cluster",
)
_TEMPLATE: Final = re.compile(r"(?:Template|LaunchConfiguration)$")
_AUTOSCALER: Final = re.compile(
    r"(?i)autoscaler$|resizerequest$|autoscalesetting$|scalabletarget$|appautoscaling.*target$"
)
_ONE_MACHINE: Final = re.compile(r"(?i)(?:instance|instancefromtemplate|virtualmachine|request|workstation|host|vm)$")
_STARTS_NONE: Final = re.compile(
    # Rights, quotas, budgets, alarms and rules name the machines that they allow or watch; definitions and pods, those
    # of others.
    r"[\w-]+:(?:iam|servicequotas|organizations|authorization|orgpolicy|cloudquotas|budgets|costexplorer|ce|cfg"
    r"|configuration|monitoring|insights|consumption|costmanagement|billing|billingbudgets|cloudwatch(?![/:]event))\b"
    r"|(?:grafana|datadog|newrelic|dynatrace|pagerduty|opsgenie):"
    r"|kubernetes:(?!yaml|helm)"
    r"(?:[\w-]+|[\w.-]*\.k8s\.io|(?:kueue|jobset|leaderworkerset)\.x-k8s\.io|(?:\w+\.)?kubeflow\.org|ray\.io"
    r"|run\.ai|serving\.kserve\.io|constraints\.gatekeeper\.sh|(?:\w+\.)?kyverno\.io|monitoring\.coreos\.com)/"
)
_GKE_GPU: Final = ("cloud.google.com/gke-accelerator",)
_RUN: Final = "gcp:cloudrun"
_RUN_GPU: Final = ("accelerator", "run.googleapis.com/accelerator")
"""Cloud Run starts machines for what GKE's pods only select."""


def names_others(resource: Resource) -> bool:
    """Whether a resource of its type names machines that others start, as rights, alarms and pods do."""
    return _STARTS_NONE.match(resource.type) is not None


def _is_template(resource: Resource | None) -> bool:
    # Another object uses that of Kubernetes by its name, as a MachineDeployment does.
    return (
        resource is not None
        and _TEMPLATE.search(resource.type) is not None
        and not resource.type.startswith("kubernetes:")
    )


def _starts_none(resource: Resource) -> bool:
    held = holdings().get(resource.type)
    return (
        re.match(r"pulumi:|gpucluster:", resource.type) is not None
        or not (resource.custom or resource.remote)
        or (held is not None and held.holds == RESERVED_CAPACITY)
    )


def _of(resource: Resource, resources: Resources, autopilot: set[str]) -> list[Place]:
    if autopilot and resource.type.startswith("kubernetes:") and cluster_of(resource, resources) in autopilot:
        pods = [*_pods(resource.inputs, _GKE_GPU)]
    elif resource.type.startswith(_RUN):
        pods = [*_pods(resource.inputs, _RUN_GPU)]
    else:
        pods = []
    inputs = resource.inputs if resource.custom else resource.registered
    if names_others(resource) or not may_name(texts(inputs)):
        return pods
    found = [*places(inputs)]
    if found and not resource.custom:
        parts = [one for one in resources if one.custom and resource in resources.parents(one)]
        shown = {name.text for part in parts for place in places(part.inputs) for name in place.names}
        found = [place for place in found if not {name.text for name in place.names} <= shown]
    return [*pods, *found]


def _pods(value: Any, keys: Sequence[str], replicas: Number = None) -> Iterator[Place]:
    """Pods of an object that select GPUs by name under one of the keys, where they start machines: on Cloud Run, and in
    an Autopilot cluster.
    """
    if is_list(value):
        for of in value:
            yield from _pods(of, keys, replicas)
    elif is_object(value):
        if isinstance(most := numbers_of(value).most, int):
            replicas = most
        for key in keys:
            asked = " ".join(_selected(value, key))
            each = [whole(one, "resources", "limits", "nvidia.com/gpu") for one in known_items(value, "containers")]
            gpus = sum(one for one in each if isinstance(one, int))
            names = [*names_in(asked, About.MACHINES)]
            if names:
                path = f"nodeSelector.{key}"
                yield Place(names=names, path=path, numbers=Numbers(count=replicas or 1), gpus=gpus)
        for of in value.values():
            yield from _pods(of, keys, replicas)


def _selected(pod: Mapping[str, Any], key: str) -> Iterator[str]:
    """The values of a node label by which a pod selects its node."""
    if isinstance(named := text(pod.get("nodeSelector"), key), str):
        yield named
    node = at(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    for term in known_items(node, "nodeSelectorTerms"):
        for one in known_items(term, "matchExpressions"):
            if at(one, "key") == key and at(one, "operator") == "In":
                yield from (named for named in known_items(one, "values") if isinstance(named, str))


def _numbers(stated: Numbers, resource: Resource, resources: Resources) -> Numbers:
    """Those stated, with those of an autoscaler; a single machine has none."""
    most = scaled_to(resource, resources)
    if most is not None:
        return replace(stated, ceiling=most)
    return Numbers(count=1) if not stated.given and _ONE_MACHINE.search(resource.type) else stated


@once
def _autoscalers(resources: Resources) -> Iterator[tuple[str, Number]]:
    """(URN of a group of machines, its largest size) of each autoscaler."""
    for scaler in resources:
        if _AUTOSCALER.search(scaler.type):
            most = max(_ceilings(scaler.inputs), default=UNKNOWN)
            for urns in scaler.dependencies.values():
                yield from ((urn, most) for urn in urns)


def _ceilings(value: Any) -> Iterator[int]:
    if is_list(value):
        for of in value:
            yield from _ceilings(of)
    elif is_object(value):
        if isinstance(most := numbers_of(value).ceiling, int):
            yield most
        for of in value.values():
            yield from _ceilings(of)


def _names_of(cluster: Resource) -> Sequence[str]:
    given = [at(of, key) for of in (cluster.inputs, cluster.outputs) for key in ("name", "resourceName")]
    return [one.lower() for one in given if isinstance(one, str)]

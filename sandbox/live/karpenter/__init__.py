"""Karpenter's own controllers, on machines of the catalog that the program of this folder simulates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import eks_pods
from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, cluster_at
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.controllers import Controller, Site
from gpucluster.sandbox.live.nodes import aws, azure
from gpucluster.sandbox.live.nodes.manifest import resources
from gpucluster.sandbox.live.nodes.pool import GPU, Reserve

_ZONE: Final = "topology.kubernetes.io/zone"
_PRIORITY: Final = "kubernetes.azure.com/scalesetpriority"


@dataclass(frozen=True, kw_only=True)
class NodeClass:
    """The class of one cloud's Karpenter.

    cloud: in the table of machines. zone_labels: labels by which a pool may select its zone, the usual one first.
    spot_pause: seconds during which the provider requests no spot machine of a type after a preemption; 0 if it gets no
    notice of preemptions. purchase_labels: added to machines, by purchase option. not_read: parts of the class that the
    simulation ignores.
    """

    cloud: str
    version: str
    kind: str
    zone_labels: tuple[str, ...]
    spot_pause: int
    purchase_labels: Mapping[str, Mapping[str, str]]
    not_read: str


CLASSES: Final[Mapping[str, NodeClass]] = {
    # Sources: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/labels.go, pkg/cache/cache.go (UnavailableOfferingsTTL)
    # and pkg/controllers/interruption/utils.go (markUnavailableOfferings).
    "karpenter.k8s.aws": NodeClass(
        cloud="aws",
        version="v1",
        kind="EC2NodeClass",
        zone_labels=(_ZONE, "topology.k8s.aws/zone-id"),
        spot_pause=180,
        purchase_labels={},
        not_read="image, subnets, security groups, identity and user data",
    ),
    # Source: Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go; its controllers
    # (pkg/controllers/controllers.go) have none for interruptions.
    "karpenter.azure.com": NodeClass(
        cloud="azure",
        version="v1beta1",
        kind="AKSNodeClass",
        zone_labels=(_ZONE,),
        spot_pause=0,
        # pkg/providers/instance/vminstance.go.
        purchase_labels={"spot": {_PRIORITY: "spot"}, "on-demand": {_PRIORITY: "regular"}},
        not_read="image family, subnet, GPU driver mode and tags",
    ),
}
"""API group -> its class."""

NOT_SIMULATED: Final[Mapping[str, str]] = {
    "karpenter.k8s.gcp": "karpenter-provider-gcp, whose definitions no registry has",
}
"""API group -> the provider of pools that never get a machine here."""


_ROOT_GIB: Final = {"aws": 20, "azure": 128}
"""Default root disk of the class. Sources: aws/karpenter-provider-aws v1.14.1, pkg/providers/amifamily/resolver.go
(DefaultEBS); Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go.
"""


def cloud_document(
    group: str, node_class: NodeClass, spec: Mapping[str, Any], *, region: str, taints: Sequence[str] = ()
) -> dict[str, Any]:
    """Every machine of the catalog in this cloud, in the catalog's order; `program/machines.go` reads it.

    group: API group of the class; spec: of the cluster's class. Excludes machines without a sourced memory size.
    taints: keys of startup taints that drivers of the stack remove.
    """
    return {
        "nodeClass": {"group": group, "version": node_class.version, "kind": node_class.kind},
        "zoneLabels": list(node_class.zone_labels),
        "spotPauseSeconds": node_class.spot_pause,
        "purchaseLabels": {way: dict(labels) for way, labels in node_class.purchase_labels.items()},
        "taintsTaken": list(taints),
        "machines": [
            _machine(machine, spec, region)
            for machine in machines().values()
            if machine.cloud == node_class.cloud and machine.vcpus and machine.memory_gib
        ],
    }


def _machine(machine: Machine, spec: Mapping[str, Any], region: str) -> dict[str, Any]:
    """The machine as a node, without the fabric's network cards, which an elastic pool does not use."""
    pods, reserve = _kubelet(machine)
    capacity, allocatable = resources(
        machine,
        pods=pods,
        disk_gib=_disk_gib(machine, spec),
        devices={GPU: str(machine.gpus)},
        reserve=reserve,
    )
    labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "topology.kubernetes.io/region": region}
    return {"name": machine.machine_type, "labels": labels, "capacity": capacity, "allocatable": allocatable}


def _disk_gib(machine: Machine, spec: Mapping[str, Any]) -> int:
    """Disk of a kubelet for images and logs: EC2's local disks if they are combined into one, else the root disk."""
    if spec.get("instanceStorePolicy") == "RAID0" and machine.nvme_gb:
        return machine.nvme_gb * 10**9 // 2**30
    for device in map(mapping, items(spec.get("blockDeviceMappings"))):
        size = str(mapping(device.get("ebs")).get("volumeSize") or "")
        if device.get("rootVolume") and size.endswith("Gi"):
            return int(size.removesuffix("Gi"))
    return int(spec.get("osDiskSizeGB") or _ROOT_GIB[machine.cloud])


def _kubelet(machine: Machine) -> tuple[int, Reserve]:
    """The maximum pods of a node, and its reserved resources."""
    if machine.cloud == "aws":
        pods = eks_pods(machine.machine_type)
        return pods, aws.reserve(machine, pods)
    return azure.PODS, azure.reserve(machine, azure.PODS)


NAME: Final = "karpenter"
_NODE_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
_FILE: Final = "machines.json"

_CSI_DRIVER: Final = "kubernetes:storage.k8s.io/v1:CSIDriver"
_TAINTS: Final = {"azurelustre.csi.azure.com": "azurelustre.csi.azure.com/agent-not-ready"}
"""Name of a driver -> the key of its startup taint."""

# Values of Karpenter's chart -> the corresponding variables of the chart.
# Source: aws/karpenter-provider-aws v1.14.1, charts/karpenter/templates/deployment.yaml.
_SETTINGS: Final[Mapping[str, str]] = {
    "batchMaxDuration": "BATCH_MAX_DURATION",
    "batchIdleDuration": "BATCH_IDLE_DURATION",
    "preferencePolicy": "PREFERENCE_POLICY",
    "minValuesPolicy": "MIN_VALUES_POLICY",
}


def controller(site: Site) -> Controller | None:
    """None if the cluster has no pool of a simulated class. Raises EngineError if there is no program.

    It runs as an administrator: it creates nodes, which the machines may do, but not Karpenter.
    """
    group = _simulated(_pools(site))
    cluster = cluster_at(site.ledger, site.scope)
    if group is None or cluster is None:
        return None
    file = site.folder / _FILE
    spec = _class_spec(site, group, CLASSES[group])
    file.write_text(
        json.dumps(cloud_document(group, CLASSES[group], spec, region=_region(cluster), taints=_taken(site)), indent=1)
    )
    health = site.port("karpenter health")
    return Controller(
        name=NAME,
        command=[str(site.program(NAME))],
        environment={
            **_settings(_values(site)),
            "KUBECONFIG": str(site.kubeconfig()),
            "MACHINES_FILE": str(file),
            "HEALTH_PROBE_PORT": str(health),
        },
        ready=health,
    )


def karpenter_remarks(site: Site) -> list[str]:
    """The differences from the stack's Karpenter."""
    group = _simulated(_pools(site))
    remarks = [
        f"pool {name}: no machine starts, because {provider} would start it"
        for name, provider in without_machines(_pools(site)).items()
    ]
    return remarks if group is None else [_translated(CLASSES[group]), *remarks]


def _translated(node_class: NodeClass) -> str:
    return (
        f"Karpenter's own controllers run, with the catalog's machines instead of the cloud's: of an "
        f"{node_class.kind} only the disk is read, not {node_class.not_read}; every one counts as ready, and capacity "
        "never runs out"
    )


def without_machines(pools: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Name of a NodePool that gets no machine here -> its provider."""
    return {
        str(mapping(pool.get("metadata")).get("name")): NOT_SIMULATED[group]
        for pool in pools
        if (group := _group(pool)) in NOT_SIMULATED
    }


def _pools(site: Site) -> list[Mapping[str, Any]]:
    found = site.ledger.find("kubernetes", site.scope, _NODE_POOL)
    return [mapping(plain(entry.inputs)) for entry in found]


def _region(cluster: Entry) -> str:
    """The region, in the form of EKS or AKS."""
    made = mapping(plain(cluster.outputs))
    return str(made.get("location") or made.get("region") or cluster.scope)


def _taken(site: Site) -> list[str]:
    """Keys of startup taints that a driver in the stack removes when it runs on a machine, here immediately. Source:
    kubernetes-sigs/azurelustre-csi-driver, docs/driver-parameters.md.
    """
    drivers = {entry.name for entry in site.ledger.find("kubernetes", site.scope, _CSI_DRIVER)}
    return [taint for driver, taint in _TAINTS.items() if driver in drivers]


def _class_spec(site: Site, group: str, node_class: NodeClass) -> Mapping[str, Any]:
    """The spec of the cluster's first class."""
    token = f"kubernetes:{group}/{node_class.version}:{node_class.kind}"
    found = site.ledger.find("kubernetes", site.scope, token)
    return mapping(mapping(plain(found[0].inputs)).get("spec")) if found else {}


def _simulated(pools: Iterable[Mapping[str, Any]]) -> str | None:
    return next((group for pool in pools if (group := _group(pool)) in CLASSES), None)


def _group(pool: Mapping[str, Any]) -> str:
    """API group of a pool's class."""
    template = mapping(mapping(pool.get("spec")).get("template"))
    return str(mapping(mapping(template.get("spec")).get("nodeClassRef")).get("group") or "")


def _values(site: Site) -> Mapping[str, Any]:
    """The values of the cluster's Karpenter release; empty if its cloud runs Karpenter."""
    for entry in site.ledger.find("kubernetes", site.scope, RELEASE):
        if chart_of(entry) == NAME:
            return mapping(mapping(plain(entry.inputs)).get("values"))
    return {}


def _settings(values: Mapping[str, Any]) -> dict[str, str]:
    """The environment that the chart derives from its values."""
    settings = mapping(values.get("settings"))
    given = {name: str(settings[key]) for key, name in _SETTINGS.items() if key in settings}
    gates = mapping(settings.get("featureGates"))
    if gates:
        given["FEATURE_GATES"] = ",".join(f"{key[:1].upper()}{key[1:]}={str(on).lower()}" for key, on in gates.items())
    return given

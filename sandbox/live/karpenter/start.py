"""The start of this folder's program for a cluster: its file of machines and its environment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.kubernetes.clusters import cluster_at
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.live.controller import Controller
from gpucluster.sandbox.live.karpenter.classes import CLASSES, NOT_SIMULATED, NodeClass
from gpucluster.sandbox.live.karpenter.machines import cloud_document
from gpucluster.sandbox.live.site import Site
from gpucluster.sandbox.type_guards import mapping

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


def said_of(site: Site) -> list[str]:
    """The differences from the stack's Karpenter."""
    group = _simulated(_pools(site))
    said = [
        f"pool {name}: no machine starts, because {provider} would start it"
        for name, provider in without_machines(_pools(site)).items()
    ]
    return said if group is None else [_translated(CLASSES[group]), *said]


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

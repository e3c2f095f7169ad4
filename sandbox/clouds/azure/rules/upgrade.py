"""AKS's requirements for a change of version, and for a node pool with the image of a snapshot.

Source: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/node-pool-snapshot.md. AKS' codes and texts are unknown here.

Sources: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-aks-control-plane.md (also of clusters with
long-term support, which may skip versions), upgrade-node-pools.md and auto-upgrade-cluster.md; its text:
rancher/dashboard #11884, Azure/AKS #4765, rancher/rancher #33426, kubernetes-sigs/cluster-api-provider-azure #1883.
"""

from __future__ import annotations

import datetime
import re
from typing import Final

from packaging.version import Version

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.machines import (
    AGENT_POOL,
    CLUSTER,
    SNAPSHOT,
    image_date,
    may_be,
    node_image,
    own_profiles,
    resolved,
)
from gpucluster.sandbox.clouds.azure.model import ManagedResource, kept_from, refused, rule

_OLDEST = datetime.timedelta(days=90)


@rule(AGENT_POOL)
def snapshot_fits(managed: ManagedResource) -> None:
    """A snapshot of the same family of machines, not older than the pool, with an image of at most 90 days."""
    id_ = mapping(managed.inputs.get("creationData")).get("sourceResourceId")
    found = managed.at(SNAPSHOT, id_) if id_ else None
    if found is None or (managed.previous and "creationData" not in managed.changed):
        return
    version, image = (str(found.outputs.get(name)) for name in ("kubernetesVersion", "nodeImageVersion"))
    size, source = str(managed.inputs.get("vmSize")), str(found.outputs.get("vmSize"))
    if _family(size) != _family(source):
        raise refused("InvalidParameter", f"snapshot {found.name} is of {source}, another family than {size}")
    if image_date(node_image(found.outputs.get("osSku"), version)) - image_date(image) > _OLDEST:
        raise refused("InvalidParameter", f"image {image} of snapshot {found.name} is older than 90 days")
    current, before = (str(managed.previous.get(name) or "") for name in _CURRENT)
    if before and (Version(current) > Version(version) or image_date(before) > image_date(image)):
        raise refused(
            "InvalidParameter", f"snapshot {found.name}, {version} on {image}, is older than {current} on {before}"
        )
    requested = managed.inputs.get("orchestratorVersion")
    if requested is not None and minor(str(requested)) != minor(version):
        raise kept_from(managed, f"snapshot {found.name} has Kubernetes {version}, and the pool requests {requested}")


_CURRENT = ("currentOrchestratorVersion", "nodeImageVersion")


def _family(size: str) -> tuple[str, ...]:
    """Series, accelerator and version: of Standard_ND96isr_H100_v5 ND and H100_v5."""
    match = re.fullmatch(r"(?i)Standard_([A-Z]+)\d[^_]*_?(.*)", size)
    return tuple(part.lower() for part in match.groups()) if match else (size,)


_UPGRADE_CURRENT: Final = "currentOrchestratorVersion"

# Maximum minor versions of the nodes behind the control plane.
_SKEW = 3


@rule(CLUSTER)
def version_can_be(managed: ManagedResource) -> None:
    """The version may exist. AKS' text: microsoft/Microsoft-Defender-for-Cloud, issue 923."""
    version = managed.inputs.get("kubernetesVersion")
    if version is not None and not may_be(str(version)):
        message = (
            f"Managed cluster {managed.name} has invalid version {version}. Please use [az aks get-versions] command "
            "to get the supported version list in this region. For more information, please check "
            "https://aka.ms/supported-version-list"
        )
        raise refused("K8sVersionNotSupported", message)


@rule(CLUSTER)
def one_minor_version_at_a_time(managed: ManagedResource) -> None:
    """The same or the next minor version; never a lower one."""
    old = str(managed.previous.get("currentKubernetesVersion") or managed.previous.get("kubernetesVersion") or "")
    new = str(managed.inputs.get("kubernetesVersion") or "")
    if not old or not new:
        return
    before, after = minor(old), minor(new)
    steps = _SKEW if managed.inputs.get("supportPlan") == "AKSLongTermSupport" else 1
    if not 0 <= after[1] - before[1] <= steps:
        message = (
            f"Upgrading Kubernetes version {old} to {new} is not allowed. Available upgrades: "
            f"[{before[0]}.{before[1] + 1}]. Please see https://aka.ms/aks-supported-k8s-ver for version details."
        )
        raise refused("OperationNotAllowed", message)


@rule(CLUSTER)
def pools_keep_their_versions(managed: ManagedResource) -> None:
    """A request of the cluster names the version of every pool or of none, separate resources included. Named versions
    stay unchanged, or become the control plane's.

    A request that names only some is known to be refused when it changes a version (Azure/AKS #4765, Azure/ARO-HCP
    PR 662), and when versions already differ (hashicorp/terraform-provider-azurerm #20791); repeated while all are
    equal, it is accepted. Without any, no pool is upgraded (Azure/AKS PR 2889).
    """
    before = str(managed.previous.get("currentKubernetesVersion") or "")
    if not before:
        return
    after = resolved(str(managed.inputs.get("kubernetesVersion") or before), before)
    pools = {str(one.get("name")): str(one.get(_UPGRADE_CURRENT)) for one in own_profiles(managed, managed.previous)}
    pools |= {entry.name: str(entry.outputs.get(_UPGRADE_CURRENT)) for entry in managed.under(AGENT_POOL, managed.id)}
    profiles = [mapping(profile) for profile in items(managed.inputs.get("agentPoolProfiles"))]
    named = {str(it["name"]): str(it["orchestratorVersion"]) for it in profiles if it.get("orchestratorVersion")}
    moved = any(resolved(named[name], pools[name]) not in (pools[name], after) for name in named if name in pools)
    partial = any(name not in named for name in pools) and {*pools.values(), before, after} != {after}
    if named and (moved or partial):
        message = (
            "Using managed cluster api, all Agent pools' OrchestratorVersion must be all specified or all unspecified. "
            "If all specified, they must be stay unchanged or the same with control plane. For agent pool specific "
            "change, please use per agent pool operations: https://aka.ms/agent-pool-rest-api"
        )
        raise refused("NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged", message)


@rule(AGENT_POOL)
def pool_follows_the_control_plane(managed: ManagedResource) -> None:
    """A pool is never newer than the control plane, and never goes back."""
    cluster = managed.at(CLUSTER, managed.parent)
    requested = str(managed.inputs.get("orchestratorVersion") or "")
    if cluster is None or not requested or not may_be(requested):
        return
    top = str(cluster.outputs.get("currentKubernetesVersion"))
    new = resolved(requested, top)
    if Version(new) > Version(top):
        message = (
            f"Node pool version {new} and control plane version {top} are incompatible. Minor version of node pool "
            f"version {minor(new)[1]} is bigger than control plane version {minor(top)[1]}. For more information, "
            "please check https://aka.ms/version-skew-policy"
        )
        raise refused("NodePoolMcVersionIncompatible", message)
    old = str(managed.previous.get(_UPGRADE_CURRENT) or "")
    if old and Version(old) > Version(resolved(requested, old)):
        message = (
            f"Upgrade agent pool version from {old} to {new} is not allowed, you can only upgrade one minor version at "
            "a time. Please use [az aks get-upgrades] command to get the supported upgrade paths."
        )
        raise refused("AgentPoolUpgradeVersionNotAllowed", message)

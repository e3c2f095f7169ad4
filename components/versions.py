"""The requested and known versions of a cluster, and why some are not available. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gpucluster.catalog.clouds import fact_of
from gpucluster.catalog.fabric_releases import release_of, releases_of, version
from gpucluster.catalog.gpu_drivers import default_driver
from gpucluster.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.catalog.machines import Machine
from gpucluster.components.fabric_notes import fabric_notes
from gpucluster.components.kubernetes.charts import CHART_SET
from gpucluster.components.names import SYSTEM_POOL
from gpucluster.components.planning import Planning
from gpucluster.components.problem import Problem
from gpucluster.components.spec.versions import Versions
from gpucluster.record import record

KUBERNETES: Final = "1.35"
"""The newest minor version that both Karpenter 1.14 and the EKS GPU image of 2026-07 support and that is not the first
of its line; A3 Mega was validated on it, and A3 Ultra is declared with it. Sources: awslabs/amazon-eks-ami v20260714
(1.35: kernel 6.12), aws/karpenter-provider-aws v1.14.1; NVIDIA/aicr v0.11.1 (A3 Mega);
GoogleCloudPlatform/cluster-toolkit v1.95.0, examples/gke-a3-ultragpu (1.35.); Azure/AKS releases, 2026-10-25.
"""

# A kubelet may be this many minor versions older than the API. Source: Kubernetes documentation, "Version Skew Policy".
_SKEW: Final = 3
# GKE allows fewer. Source: GKE documentation, "GKE versioning and support".
_SKEW_OF_GKE: Final = 2

_SNAPSHOT_FORM: Final = "/subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.ContainerService/snapshots/NAME"
# Source: Azure/azure-rest-api-specs containerservice 2025-09-01, Snapshots_Get (resourceName).
_SNAPSHOT: Final = (
    r"/subscriptions/[0-9a-f-]{36}/resourceGroups/[^/]{1,90}/providers/Microsoft\.ContainerService/snapshots/"
    r"[a-z0-9]([\w-]{0,61}[a-z0-9])?"
)

_FORMS: Final = {
    "aws": (
        r"\d+\.\d+|\d+\.\d+\.\d+-\d{8}",
        "a minor version such as 1.35, or a release of EKS' image: 1.35.2-20260714",
    ),
    "gcp": (
        r"\d+\.\d+\.\d+-gke\.\d+",
        "a full version such as 1.35.2-gke.1842000: GKE completes a partial version at each update",
    ),
    "azure": (r"\d+\.\d+(\.\d+)?", "a minor or a patch version, such as 1.35 or 1.35.2"),
}

_UNPINNED: Final = {
    "aws": "EKS chooses its newest image when it creates a pool; write versions.nodes, such as '1.35.2-20260714'",
    "gcp": "GKE chooses a version when it creates a pool; write versions.nodes, such as '1.35.2-gke.1842000'",
    "azure": "AKS chooses its newest image when it creates or upgrades a pool; write versions.image, a snapshot",
}


@record(kw_only=True)
class VersionPlan:
    """control_plane: a minor version. system, nodes: in the cloud's format, None if nodes keep the version of their
    creation. image: the snapshot whose node image the training nodes have on Azure. fabric: the release of the training
    nodes' fabric, None for the default one. chart_set: None if the spec names none.
    """

    control_plane: str
    system: str | None
    nodes: str | None
    extended: bool
    image: str | None = None
    fabric: str | None = None
    chart_set: str | None = None

    @property
    def release(self) -> str | None:
        """The day of the EKS image, if the nodes' version names one."""
        _, _, day = (self.nodes or "").partition("-")
        return day if day.isdigit() else None


def old_plan_versions(asked: Versions) -> VersionPlan:
    """The versions of a spec without problems."""
    return VersionPlan(
        control_plane=asked.kubernetes or KUBERNETES,
        system=asked.system,
        nodes=asked.nodes,
        extended=asked.support == "extended",
        image=asked.image,
        fabric=asked.fabric,
        chart_set=asked.charts,
    )


def version_problems(asked: Versions, cloud: str, shape: Machine | None) -> list[Problem]:
    """Why a cloud can't have these versions. shape: the machine of the training pool, None if its fabric has only one
    release.
    """
    unfit = _fabric_problems(asked, cloud, shape)
    return [
        *unfit,
        *_control_plane_problems(asked, cloud, None if unfit else shape),
        *_node_problems(asked, cloud),
        *_image_problems(asked, cloud),
        *_chart_problems(asked),
        *_addon_problems(asked, cloud),
    ]


def support_notes(plan: VersionPlan, cloud: str) -> list[str]:
    """The kind of support, its end and its price."""
    known = kubernetes_versions(cloud).get(plan.control_plane)
    if known is None or not plan.extended:
        return []
    ends = "an unknown day" if known.extended_ends is None else f"{known.extended_ends}"
    price = {
        "aws": "its price, six times the standard price, is in the cost from then on",
        "gcp": "its additional fee from then on has no known price and is not in the cost",
        "azure": "the Premium tier, included in the cost, is billed from today on; AKS supports only the two newest "
        "patches, which you must install yourself",
    }
    return [
        f"support: Kubernetes {plan.control_plane} has standard support until {known.standard_ends}, and extended "
        f"support until {ends}; {price[cloud]}"
    ]


def older_node_notes(plan: VersionPlan, cloud: str) -> list[str]:
    """Which pools an older version of nodes is for.

    Source: Amazon EKS API, CreateNodegroup: the cluster's version "is the only accepted specified value".
    """
    if cloud != "aws" or plan.nodes is None or minor(plan.nodes) == minor(plan.control_plane):
        return []
    return [
        f"versions.nodes {plan.nodes} is for pools that already exist: EKS creates pools only in the version of the "
        f"control plane, {plan.control_plane}"
    ]


def image_notes(plan: VersionPlan, cloud: str) -> list[str]:
    """Whether a replaced pool may get another image."""
    of_azure = plan.image is not None
    if {"aws": plan.release is not None, "gcp": plan.nodes is not None, "azure": of_azure}.get(cloud, True):
        return []
    return [f"node images are not pinned: {_UNPINNED[cloud]} (docs/upgrading-kubernetes.md)"]


def chosen_fabric_notes(asked: Versions, cloud: str, shape: Machine) -> list[str]:
    """What is unknown about a chosen release."""
    top = asked.kubernetes or KUBERNETES
    chosen = None if asked.fabric is None else release_of(shape, asked.fabric)
    if chosen is None or not chosen.driver_from or default_driver(cloud, top) is not None:
        return []
    return [
        f"fabric {chosen.plugin_version}: the GPU driver of Kubernetes {top} is unknown; the fabric supports drivers "
        f"{chosen.drivers}"
    ]


def _fabric_problems(asked: Versions, cloud: str, shape: Machine | None) -> list[Problem]:
    """Why the training nodes can't have the release: it does not fit machine, Kubernetes or driver."""
    if asked.fabric is None:
        return []
    top = asked.kubernetes or KUBERNETES
    driver = default_driver(cloud, top)
    if shape is None or not shape.fabric_gbps:
        return [Problem("versions.fabric", f"is {asked.fabric!r}, but there is nothing to choose from", "remove it")]
    fits = [
        one
        for one in releases_of(shape)
        if (not one.kubernetes_from or version(one.kubernetes_from)[:2] <= minor(top))
        and (driver is None or one.driven_by(driver))
    ]
    names = [one.plugin_version for one in fits]
    if asked.fabric in names:
        return []
    where = f"with Kubernetes {top}{f' and its GPU driver, {driver}' if driver else ''}"
    why = f"is {asked.fabric!r}, which is not a release for {shape.machine_type} {where}"
    return [Problem("versions.fabric", why, f"allowed: {', '.join(names)}")]


def _control_plane_problems(asked: Versions, cloud: str, shape: Machine | None) -> Iterator[Problem]:
    chosen, field = asked.kubernetes, "versions.kubernetes"
    if chosen is None:
        return
    known = kubernetes_versions(cloud)
    if chosen not in known:
        yield Problem(
            field, f"is {chosen!r}, which is not a known version on this cloud", f"allowed: {', '.join(known)}"
        )
        return
    wanted = "" if shape is None else release_of(shape, asked.fabric).kubernetes_from
    if shape is not None and wanted and version(wanted)[:2] > minor(chosen):
        yield Problem(
            field, f"is {chosen!r}, but the fabric of {shape.machine_type} needs {wanted}", "write a newer one"
        )


def _node_problems(asked: Versions, cloud: str) -> Iterator[Problem]:
    top = asked.kubernetes or KUBERNETES
    form, allowed = fact_of(_FORMS, cloud, "forms of versions (components/versions.py)")
    most = _SKEW_OF_GKE if cloud == "gcp" else _SKEW
    for name in (SYSTEM_POOL, "nodes"):
        chosen: str | None = getattr(asked, name)
        field = f"versions.{name}"
        if chosen is None:
            continue
        if cloud == "azure" and name == SYSTEM_POOL:
            why = f"is {chosen!r}, but AKS upgrades its system pool by a request of its own"
            yield Problem(field, why, "remove it; `gpucluster upgrade --plan` prints the command")
        elif not re.fullmatch(form, chosen):
            yield Problem(field, f"is {chosen!r}", f"write {allowed}")
        elif minor(chosen) > minor(top):
            yield Problem(
                field, f"is {chosen!r}, newer than the control plane, {top}", "raise versions.kubernetes first"
            )
        elif minor(top)[1] - minor(chosen)[1] > most:
            oldest = f"{minor(top)[0]}.{minor(top)[1] - most}"
            yield Problem(field, f"is {chosen!r}, too old for a control plane of {top}", f"write {oldest} or newer")


def _image_problems(asked: Versions, cloud: str) -> Iterator[Problem]:
    if asked.image is None:
        return
    if cloud != "azure":
        yield Problem("versions.image", "is set, but only Azure has node pool snapshots", "remove it")
    elif not re.fullmatch(_SNAPSHOT, asked.image, re.IGNORECASE):
        yield Problem(
            "versions.image", f"is {asked.image!r}", f"write the id of a node pool snapshot, {_SNAPSHOT_FORM}"
        )
    elif asked.nodes is None:
        why = "is set, but a snapshot also has a version of Kubernetes, and versions.nodes is missing"
        yield Problem("versions.image", why, "write that version as versions.nodes")


def _chart_problems(asked: Versions) -> Iterator[Problem]:
    if asked.charts is not None and asked.charts != CHART_SET:
        yield Problem(
            "versions.charts",
            f"is {asked.charts!r}, but this release of gpucluster has the set {CHART_SET}",
            f"install the release with that set, or write {CHART_SET} and read docs/upgrading-jobs.md",
        )


def _addon_problems(asked: Versions, cloud: str) -> Iterator[Problem]:
    if asked.addons and cloud != "aws":
        yield Problem("versions.addons", "names add-ons of EKS, which other clouds do not have", "remove it")


def plan_versions(
    versions: Versions, cloud: str, shape: Machine, planning: Planning[Any], *, fabrics: bool = False
) -> VersionPlan:
    """shape: of the training nodes. fabrics: whether the cloud has several releases of a fabric to choose from."""
    problems = version_problems(versions, cloud, shape if fabrics else None)
    planning.problems += problems
    plan = VersionPlan(
        control_plane=versions.kubernetes or KUBERNETES,
        system=versions.system,
        nodes=versions.nodes,
        extended=versions.support == "extended",
        image=versions.image,
        fabric=versions.fabric,
        chart_set=versions.charts,
    )
    if problems:
        return replace(plan, fabric=None)
    planning.before_up += older_node_notes(plan, cloud)
    planning.notes += support_notes(plan, cloud)
    planning.notes += chosen_fabric_notes(versions, cloud, shape)
    planning.notes += fabric_notes(release_of(shape, versions.fabric))
    return plan

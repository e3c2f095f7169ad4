"""The requested and known versions of a cluster, and why some are not available. Imports no Pulumi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.components.planning.names import SYSTEM_POOL
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import Versions
from gpucluster.core.catalog.clouds import fact_of
from gpucluster.core.catalog.fabrics import FabricRelease, release_of, releases_of
from gpucluster.core.catalog.kubernetes_versions import default_driver, kubernetes_versions, minor
from gpucluster.core.catalog.machines import Machine

KUBERNETES: Final = "1.35"
"""A minor version that both Karpenter 1.15 and the EKS GPU image of 2026-07 support and that is not the first of its
line; why none is newer is in `versions.csv`. A3 Mega was validated on it, and A3 Ultra is declared with it. Sources:
awslabs/amazon-eks-ami v20260714 (1.35: kernel 6.12), aws/karpenter-provider-aws v1.15.2; NVIDIA/aicr v0.11.1 (A3 Mega);
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


@dataclass(frozen=True, kw_only=True)
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


def plan_versions(
    versions: Versions, cloud: str, shape: Machine, planning: Planning[Any], *, fabrics: bool = False
) -> VersionPlan:
    """shape: of the training nodes. fabrics: whether the cloud has several releases of a fabric to choose from."""
    fits = versions.fabric is None or _check_fabric(
        versions.fabric, versions, cloud, shape if fabrics else None, planning
    )
    fabric = versions.fabric if fits else None
    if versions.kubernetes is not None:
        of_fabric = release_of(shape, fabric).kubernetes_from if fabrics and fits else ""
        _check_control_plane(versions.kubernetes, cloud, shape, of_fabric, planning)
    top = versions.kubernetes or KUBERNETES
    _check_nodes(versions, cloud, top, planning)
    if versions.image is not None:
        _check_image(versions.image, versions, cloud, planning)
    if versions.charts is not None and versions.charts != CHART_SET:
        planning.refuse(
            "versions.charts",
            f"is {versions.charts!r}, but this release of gpucluster has the set {CHART_SET}",
            f"install the release with that set, or write {CHART_SET} and read docs/operate/upgrading-jobs.md",
        )
    if versions.addons and cloud != "aws":
        planning.refuse("versions.addons", "names add-ons of EKS, which other clouds do not have", "remove it")
    plan = VersionPlan(
        control_plane=top,
        system=versions.system,
        nodes=versions.nodes,
        extended=versions.support == "extended",
        image=versions.image,
        fabric=fabric,
        chart_set=versions.charts,
    )
    _report_support(plan, cloud, planning)
    _report_fabric(release_of(shape, fabric), top, cloud, planning, chosen=fabric is not None)
    return plan


def image_notes(plan: VersionPlan, cloud: str) -> list[str]:
    """Whether a replaced pool may get another image."""
    of_azure = plan.image is not None
    if {"aws": plan.release is not None, "gcp": plan.nodes is not None, "azure": of_azure}.get(cloud, True):
        return []
    return [f"node images are not pinned: {_UNPINNED[cloud]} (docs/operate/upgrading-kubernetes.md)"]


def _check_fabric(fabric: str, versions: Versions, cloud: str, shape: Machine | None, planning: Planning[Any]) -> bool:
    """Whether the training nodes can have the release: it fits machine, Kubernetes and driver."""
    top = versions.kubernetes or KUBERNETES
    driver = default_driver(cloud, top)
    if shape is None or not shape.fabric_gbps:
        planning.refuse("versions.fabric", f"is {fabric!r}, but there is nothing to choose from", "remove it")
        return False
    names = [
        one.plugin_version
        for one in releases_of(shape)
        if (not one.kubernetes_from or minor(one.kubernetes_from) <= minor(top))
        and (driver is None or one.driven_by(driver))
    ]
    if fabric not in names:
        where = f"with Kubernetes {top}{f' and its GPU driver, {driver}' if driver else ''}"
        why = f"is {fabric!r}, which is not a release for {shape.machine_type} {where}"
        planning.refuse("versions.fabric", why, f"allowed: {', '.join(names)}")
    return fabric in names


def _check_control_plane(chosen: str, cloud: str, shape: Machine, of_fabric: str, planning: Planning[Any]) -> None:
    """of_fabric: the oldest version for the fabric of the shape, empty if it has none."""
    known = kubernetes_versions(cloud)
    if chosen not in known:
        why = f"is {chosen!r}, which is not a known version on this cloud"
        planning.refuse("versions.kubernetes", why, f"allowed: {', '.join(known)}")
    elif of_fabric and minor(of_fabric) > minor(chosen):
        why = f"is {chosen!r}, but the fabric of {shape.machine_type} needs {of_fabric}"
        planning.refuse("versions.kubernetes", why, "write a newer one")


def _check_nodes(versions: Versions, cloud: str, top: str, planning: Planning[Any]) -> None:
    """top: version of the control plane."""
    most = _SKEW_OF_GKE if cloud == "gcp" else _SKEW
    for name, chosen in ((SYSTEM_POOL, versions.system), ("nodes", versions.nodes)):
        field, seen = f"versions.{name}", f"is {chosen!r}"
        if chosen is None:
            continue
        form, allowed = fact_of(_FORMS, cloud, "forms of versions (components/cluster/versions.py)")
        if cloud == "azure" and name == SYSTEM_POOL:
            why = f"{seen}, but AKS upgrades its system pool by a request of its own"
            planning.refuse(field, why, "remove it; `gpucluster upgrade --plan` prints the command")
        elif not re.fullmatch(form, chosen):
            planning.refuse(field, seen, f"write {allowed}")
        elif minor(chosen) > minor(top):
            planning.refuse(field, f"{seen}, newer than the control plane, {top}", "raise versions.kubernetes first")
        elif minor(top)[1] - minor(chosen)[1] > most:
            oldest = f"{minor(top)[0]}.{minor(top)[1] - most}"
            planning.refuse(field, f"{seen}, too old for a control plane of {top}", f"write {oldest} or newer")
        elif cloud == "aws" and name == "nodes" and minor(chosen) != minor(top):
            # Amazon EKS API, CreateNodegroup: the cluster's version "is the only accepted specified value".
            planning.before_up.append(
                f"versions.nodes {chosen} is for pools that already exist: EKS creates pools only in the version of "
                f"the control plane, {top}"
            )


def _check_image(image: str, versions: Versions, cloud: str, planning: Planning[Any]) -> None:
    if cloud != "azure":
        planning.refuse("versions.image", "is set, but only Azure has node pool snapshots", "remove it")
    elif not re.fullmatch(_SNAPSHOT, image, re.IGNORECASE):
        fix = f"write the id of a node pool snapshot, {_SNAPSHOT_FORM}"
        planning.refuse("versions.image", f"is {image!r}", fix)
    elif versions.nodes is None:
        why = "is set, but a snapshot also has a version of Kubernetes, and versions.nodes is missing"
        planning.refuse("versions.image", why, "write that version as versions.nodes")


def _report_support(plan: VersionPlan, cloud: str, planning: Planning[Any]) -> None:
    """The kind of support, its end and its price."""
    known = kubernetes_versions(cloud).get(plan.control_plane)
    if known is None or not plan.extended:
        return
    ends = "an unknown day" if known.extended_ends is None else f"{known.extended_ends}"
    price = {
        "aws": "its price, six times the standard price, is in the cost from then on",
        "gcp": "its additional fee from then on has no known price and is not in the cost",
        "azure": "the Premium tier, included in the cost, is billed from today on; AKS supports only the two newest "
        "patches, which you must install yourself",
    }
    planning.notes.append(
        f"support: Kubernetes {plan.control_plane} has standard support until {known.standard_ends}, and extended "
        f"support until {ends}; {price[cloud]}"
    )


def _report_fabric(release: FabricRelease, top: str, cloud: str, planning: Planning[Any], *, chosen: bool) -> None:
    """What is unknown about a chosen release, and requirements on images that jobs bring."""
    if chosen and release.driver_from and default_driver(cloud, top) is None:
        planning.notes.append(
            f"fabric {release.plugin_version}: the GPU driver of Kubernetes {top} is unknown; the fabric supports "
            f"drivers {release.drivers}"
        )
    needs = [
        *([f"CUDA {release.cuda}"] if release.cuda else []),
        *([f"PyTorch below {release.torch_below}"] if release.torch_below else []),
    ]
    if not needs:
        return
    brings = f" with NCCL {release.nccl}" if release.nccl else ""
    driver = f"; GPU driver {release.drivers}" if release.drivers else ""
    planning.notes.append(
        f"images of jobs: {' and '.join(needs)}, for the fabric's plugin {release.plugin_version}{brings}; images with "
        f"another version in their tag are refused; a job without an image uses {release.pytorch}{driver}"
    )

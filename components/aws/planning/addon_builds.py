"""The builds of a cluster's EKS add-ons. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpucluster.components.aws.location import Location, partition
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import DEFAULT, Versions
from gpucluster.core.catalog.kubernetes_versions import builds_of, eks_addons, minor
from gpucluster.core.program.questions import Question

AddonBuilds = Mapping[str, str]
"""Add-on -> build; EKS chooses the builds of all others."""

_FORM: Final = r"v\d+\.\d+\.\d+-eksbuild\.\d+"

# The add-on that must not be newer than the API server, nor more than this many minor versions older.
# Source: Kubernetes documentation, "Version Skew Policy", kube-proxy.
_KUBE_PROXY: Final = "kube-proxy"
_SKEW: Final = 3


def plan_addons(versions: Versions, kubernetes: str, planning: Planning[Location], *, home: bool) -> AddonBuilds:
    """The chosen builds, and the pinned ones of other add-ons; no source of the pins covers other partitions.

    kubernetes: version of the control plane. home: the cluster has home folders, and the add-on that mounts them.
    """
    region = planning.location.region
    here = [name for name in eks_addons() if home or name != "aws-efs-csi-driver"]
    notes = dict[str, str]()
    for name, build in versions.addons.items():
        field = f"versions.addons.{name}"
        if name not in here:
            planning.refuse(field, "is not an add-on of this cluster", f"allowed: {', '.join(here)}")
        elif build != DEFAULT:
            notes[name] = _check_build(field, name, build, kubernetes, planning)
    pins = {name: builds_of(name, kubernetes).pinned for name in eks_addons()} if partition(region) == "aws" else {}
    chosen = {**pins, **versions.addons}
    builds = {name: build for name, build in chosen.items() if build is not None and build != DEFAULT}
    planning.ask(
        *(
            Question(
                about="add-on",
                subject=name,
                needed=builds.get(name),
                place=region,
                title="add-on",
                details={"kubernetes": kubernetes},
                note=notes.get(name, ""),
            )
            for name in (*notes, *(name for name in here if name not in notes))
        )
    )
    return builds


def _check_build(field: str, name: str, build: str, kubernetes: str, planning: Planning[Location]) -> str:
    """The note for a build that no source records; empty for a known or a refused one."""
    recorded, region = builds_of(name, kubernetes).recorded, planning.location.region
    if not _can_be(name, build, kubernetes):
        why = f"is {build!r}, which EKS does not offer for Kubernetes {kubernetes}"
        planning.refuse(field, why, f"write a build of it, such as {', '.join((*recorded, DEFAULT))}")
    elif build not in recorded:
        return (
            f"{name} {build} is not among the known builds for Kubernetes {kubernetes} "
            f"({', '.join(recorded) or 'none'}): if EKS has no such build, up ends with InvalidParameterException; "
            f"aws eks describe-addon-versions --region {region} --kubernetes-version {kubernetes} --addon-name {name} "
            "lists them"
        )
    return ""


def _can_be(name: str, build: str, kubernetes: str) -> bool:
    if not re.fullmatch(_FORM, build):
        return False
    version, api = minor(build.removeprefix("v")), minor(kubernetes)
    return name != _KUBE_PROXY or (version[0] == api[0] and 0 <= api[1] - version[1] <= _SKEW)

"""The builds of a cluster's EKS add-ons. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.catalog.eks_addons import builds_of, eks_addons
from gpucluster.catalog.kubernetes_versions import minor
from gpucluster.components.aws.partition import partition
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.versions import DEFAULT, Versions
from gpucluster.components.versions import old_plan_versions

AddonBuilds = Mapping[str, str]
"""Add-on -> build; EKS chooses the builds of all others."""

_FORM: Final = r"v\d+\.\d+\.\d+-eksbuild\.\d+"

# The add-on that must not be newer than the API server, nor more than this many minor versions older.
# Source: Kubernetes documentation, "Version Skew Policy", kube-proxy.
_OF_KUBERNETES: Final = "kube-proxy"
_SKEW: Final = 3


def plan_addons(asked: Versions, region: str) -> AddonBuilds:
    """The chosen builds, and the pinned ones of other add-ons; no source of the pins covers other partitions."""
    kubernetes = old_plan_versions(asked).control_plane
    pins = {name: builds_of(name, kubernetes).pinned for name in eks_addons()} if partition(region) == "aws" else {}
    return {name: build for name, build in {**pins, **asked.addons}.items() if build is not None and build != DEFAULT}


def addon_problems(spec: ClusterSpec) -> Iterator[Problem]:
    """Why EKS can't run these builds."""
    kubernetes, here = old_plan_versions(spec.versions).control_plane, _addons(spec)
    for name, build in spec.versions.addons.items():
        if name not in here:
            why = "is not an add-on of this cluster"
            yield Problem(f"versions.addons.{name}", why, f"allowed: {', '.join(here)}")
        elif build != DEFAULT and not _can_be(name, build, kubernetes):
            known = ", ".join((*builds_of(name, kubernetes).recorded, DEFAULT))
            why = f"is {build!r}, which EKS does not offer for Kubernetes {kubernetes}"
            yield Problem(f"versions.addons.{name}", why, f"write a build of it, such as {known}")


def addon_notes(asked: Versions, region: str) -> list[str]:
    """Chosen builds that no source here has for this version of Kubernetes."""
    kubernetes = old_plan_versions(asked).control_plane
    return [
        f"{name} {build} is not among the known builds for Kubernetes {kubernetes} "
        f"({', '.join(builds_of(name, kubernetes).recorded) or 'none'}): if EKS has no such build, up ends with "
        f"InvalidParameterException; aws eks describe-addon-versions --region {region} --kubernetes-version "
        f"{kubernetes} --addon-name {name} lists them"
        for name, build in asked.addons.items()
        if build != DEFAULT and build not in builds_of(name, kubernetes).recorded
    ]


def _addons(spec: ClusterSpec) -> list[str]:
    """The add-ons of its cluster: those of file systems are there with them."""
    absent = {"aws-efs-csi-driver"} if spec.storage.home is None else set[str]()
    return [name for name in eks_addons() if name not in absent]


def _can_be(name: str, build: str, kubernetes: str) -> bool:
    if not re.fullmatch(_FORM, build):
        return False
    version, api = minor(build.removeprefix("v")), minor(kubernetes)
    return name != _OF_KUBERNETES or (version[0] == api[0] and 0 <= api[1] - version[1] <= _SKEW)

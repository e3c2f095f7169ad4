"""Builds of EKS add-ons that EKS offers for a version of Kubernetes.

EKS publishes no list of all: builds that no rule here excludes are accepted. Sources: the words of CreateAddon and
UpdateAddon as users of the Terraform provider got them (hashicorp/terraform-provider-aws issues 24149 and 33385);
Kubernetes documentation, "Version Skew Policy", kube-proxy; answers of `aws eks describe-addon-versions` in public
repositories, 2026-09-04: for 1.35 no CoreDNS 1.11 and no VPC CNI 1.18, for 1.33 no kube-proxy 1.29.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_ADDON: Final = "aws:eks/addon:Addon"
_FORM: Final = r"v(\d+)\.(\d+)\.\d+-eksbuild\.\d+"
_SKEW: Final = 3
_LAST: Final = {"coredns": ((1, 11), (1, 34)), "vpc-cni": ((1, 18), (1, 34))}
"""Add-on -> a minor version, and the last of Kubernetes that EKS offers it for."""


@rule(_ADDON)
def build_is_offered(managed: ManagedResource) -> None:
    """The build exists for the cluster's version of Kubernetes; one that stays is not checked again."""
    name, build = str(managed.inputs["addonName"]), managed.inputs.get("addonVersion")
    if build is None or (managed.previous and "addonVersion" not in managed.changed) or "_" in name:
        return  # names of the Marketplace's add-ons have an underscore, and builds of any form
    kubernetes = _kubernetes(managed)
    found = re.fullmatch(_FORM, str(build))
    if kubernetes is None or (found and _is_offered(name, (int(found[1]), int(found[2])), kubernetes)):
        return
    action = "UpdateAddon" if managed.previous else "CreateAddon"
    message = "Addon version specified is not supported"
    raise refused(managed, f"EKS: {action}", 400, "InvalidParameterException", message)


def _is_offered(name: str, version: tuple[int, int], kubernetes: tuple[int, int]) -> bool:
    if name == "kube-proxy":
        return version[0] == kubernetes[0] and 0 <= kubernetes[1] - version[1] <= _SKEW
    last, until = _LAST.get(name, ((0, 0), kubernetes))
    return version > last or kubernetes <= until


def _kubernetes(managed: ManagedResource) -> tuple[int, int] | None:
    """The version of its cluster."""
    name = managed.inputs["clusterName"]
    found = next((one for one in managed.others("aws:eks/cluster:Cluster", name) if one.name == name), None)
    return None if found is None else minor(str(found.outputs["version"]))

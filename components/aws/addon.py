"""One EKS add-on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import eks

from gpucluster.components.aws.partition import partition

# For Kubernetes 1.35, as returned by `aws eks describe-addon-versions` in commercial regions; no source covers GovCloud
# or aws-efs-csi-driver. Sources: public repositories that recorded the answers, two of them on 2026-08-27 (coredns,
# kube-proxy, vpc-cni) and 2026-08-30 (aws-ebs-csi-driver).
_KUBERNETES = "1.35"
_VERSIONS = {
    "aws-ebs-csi-driver": "v1.65.0-eksbuild.1",
    "aws-fsx-csi-driver": "v1.9.0-eksbuild.1",
    "coredns": "v1.13.2-eksbuild.21",
    "eks-node-monitoring-agent": "v1.6.4-eksbuild.1",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    "kube-proxy": "v1.35.3-eksbuild.21",
    "vpc-cni": "v1.22.4-eksbuild.3",
}


def addon(
    name: str,
    addon_name: str,
    *,
    cluster_name: pulumi.Input[str],
    region: str,
    kubernetes: str,
    opts: pulumi.ResourceOptions,
    configuration: Mapping[str, Any] | None = None,
) -> eks.Addon:
    """An add-on in its pinned version, or, if none is known for region or Kubernetes, in the one that EKS chooses or
    chose before; keeps later changes of users.
    """
    known = partition(region) == "aws" and kubernetes == _KUBERNETES
    return eks.Addon(
        name,
        cluster_name=cluster_name,
        addon_name=addon_name,
        addon_version=_VERSIONS.get(addon_name) if known else None,
        configuration_values=None if configuration is None else json.dumps(configuration),
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        opts=opts,
    )

"""One EKS add-on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import eks

from gpucluster.components.aws.identity import Tagger

__all__ = ["addon"]


def addon(
    name: str,
    addon_name: str,
    *,
    cluster_name: pulumi.Input[str],
    tags: Tagger,
    opts: pulumi.ResourceOptions,
    configuration: Mapping[str, Any] | None = None,
) -> eks.Addon:
    """An add-on in the version that EKS chooses for the cluster; what users changed in it since is kept."""
    return eks.Addon(
        name,
        cluster_name=cluster_name,
        addon_name=addon_name,
        configuration_values=None if configuration is None else json.dumps(configuration),
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        tags=tags(name),
        opts=opts,
    )

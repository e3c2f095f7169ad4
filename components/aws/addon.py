"""One EKS add-on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import eks

from gpucluster.components.aws.addon_builds import AddonBuilds


def addon(
    name: str,
    addon_name: str,
    *,
    cluster_name: pulumi.Input[str],
    builds: AddonBuilds,
    opts: pulumi.ResourceOptions,
    configuration: Mapping[str, Any] | None = None,
) -> eks.Addon:
    """An add-on in its build, or in the one that EKS chooses or chose before; keeps later changes of users."""
    return eks.Addon(
        name,
        cluster_name=cluster_name,
        addon_name=addon_name,
        addon_version=builds.get(addon_name),
        configuration_values=None if configuration is None else json.dumps(configuration),
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        # A cluster has one add-on of a name.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )

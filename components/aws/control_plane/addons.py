"""EKS add-ons: any one, and the drivers that mount a file system with a statically declared volume."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_aws import eks

from gpucluster.components.aws.control_plane.identity import pod_role
from gpucluster.components.aws.planning.addon_builds import AddonBuilds
from gpucluster.components.planning.names import SYSTEM_NAMESPACE


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


def csi_driver(
    name: str,
    file_system: str,
    *,
    reads: Mapping[str, Sequence[str]],
    cluster_name: pulumi.Input[str],
    builds: AddonBuilds,
    after: list[pulumi.Resource],
    parent: pulumi.Resource,
) -> eks.Addon:
    """The add-on, and a role that lets its controller read but not create.

    file_system: `efs` or `fsx`. reads: ARN, or `*` if IAM has none for an action -> the actions it needs.
    after: the nodes its controller runs on.
    """
    role, grants = pod_role(
        f"{name}-role",
        cluster_name=cluster_name,
        namespace=SYSTEM_NAMESPACE,
        service_account=f"{file_system}-csi-controller-sa",
        statements=[
            {"Effect": "Allow", "Action": list(actions), "Resource": resource} for resource, actions in reads.items()
        ],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return addon(
        name,
        f"aws-{file_system}-csi-driver",
        cluster_name=cluster_name,
        builds=builds,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[role, *grants, *after]),
    )

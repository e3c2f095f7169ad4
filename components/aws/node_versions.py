"""The version of a node group's nodes."""

from __future__ import annotations

from typing import Any, Final

import pulumi

_VERSION: Final = ("launchTemplate.version", "releaseVersion", "version")


def node_versions(version: str | None) -> dict[str, Any]:
    """Arguments of a node group. version: a minor version, whose newest image EKS uses when nodes change to it; a
    release of the image, such as 1.35.2-20260714, which fixes kernel and driver; None to keep the version of its
    creation.

    Source: Amazon EKS API, UpdateNodegroupVersion.
    """
    if version is None:
        return {}
    if "-" not in version:
        return {"version": version}
    return {"version": ".".join(version.split(".")[:2]), "release_version": version}


def held_without_nodes(nodes: int, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """The options of a node group whose version waits for the update that starts nodes.

    The provider changes the version first: in the update that removes all nodes it would replace each of them before,
    hours of machines that may not be available. In the update that starts nodes there are none yet.
    Source: hashicorp/terraform-provider-aws@012e0a32:internal/service/eks/node_group.go, resourceNodeGroupUpdate.
    """
    if nodes:
        return opts
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=[*_VERSION]))

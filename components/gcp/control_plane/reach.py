"""The permission to find the cluster and, if the API has only a DNS name, to connect to it; none inside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import projects

FINDS: Final = "roles/container.clusterViewer"


def connecting_role(
    name: str, role_id: str | None, *, what: str, project: str, opts: pulumi.ResourceOptions
) -> projects.IAMCustomRole | None:
    """A role with the permission to connect. role_id: None if addresses decide access. what: its purpose."""
    if role_id is None:
        return None
    return projects.IAMCustomRole(
        f"{name}-connect",
        project=project,
        role_id=role_id,
        title=f"Connect to {what}",
        permissions=["container.clusters.connect"],
        opts=opts,
    )


def reaching(
    name: str,
    principals: Sequence[str],
    connect: projects.IAMCustomRole | None,
    *,
    project: str,
    opts: pulumi.ResourceOptions,
) -> dict[str, str]:
    """Grants the permissions; returns the logical name of each principal: by principal, not by position, so that
    removing one keeps the rest.

    The permission to find clusters is of the whole project, so it stays after a destroy: the same people may use
    another cluster. The role with the permission to connect is this cluster's own.
    """
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True))
    names = {who: f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', who.partition(':')[2])}" for who in principals}
    for who, full in names.items():
        projects.IAMMember(full, project=project, role=FINDS, member=who, opts=kept)
        if connect is not None:
            projects.IAMMember(f"{full}-connect", project=project, role=connect.name, member=who, opts=opts)
    return names

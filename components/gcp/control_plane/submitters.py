"""Groups, users and service accounts that submit jobs: by IAM they find the cluster; Kubernetes decides their
permissions inside.
"""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.gcp.control_plane.reach import connecting_role, reaching
from gpucluster.components.kubernetes.teams.submitters import Submitter


def submitter_of(principal: str) -> Submitter:
    """An IAM principal as Kubernetes identifies it."""
    kind, _, address = principal.partition(":")
    return Submitter(kind="Group" if kind == "group" else "User", name=address)


def submitter_access(
    name: str,
    principals: Sequence[str],
    *,
    project: str,
    connect_role: str | None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> None:
    """connect_role: id of a role to create with the permission to connect; None if addresses decide. after: APIs."""
    outside = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    connect = connecting_role(name, connect_role, what=name, project=project, opts=outside)
    reaching(name, principals, connect, project=project, opts=outside)

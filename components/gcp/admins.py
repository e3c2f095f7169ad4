"""People and service accounts with all rights in the cluster, and in no other cluster of the project."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_gcp import projects
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import ClusterRoleBinding, RoleRefArgs, SubjectArgs

__all__ = ["Admins"]


class Admins(pulumi.ComponentResource):
    """For each principal the right to find the cluster, by IAM, and every right in it, by Kubernetes.

    `roles/container.admin` would give them all clusters of the project. Named by the principal and not by its place:
    taking one out leaves the rest.
    """

    def __init__(
        self,
        name: str,
        principals: Sequence[str],
        *,
        project: str,
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the APIs."""
        super().__init__("gpucluster:gcp:Admins", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        for principal in principals:
            address = principal.partition(":")[2]
            full = f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', address)}"
            projects.IAMMember(
                full,
                project=project,
                role="roles/container.clusterViewer",
                member=principal,
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
            )
            ClusterRoleBinding(
                f"{full}-rights",
                metadata=ObjectMetaArgs(labels=dict(labels)),
                role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name="cluster-admin"),
                subjects=[SubjectArgs(api_group="rbac.authorization.k8s.io", kind="User", name=address)],
                opts=here,
            )
        self.register_outputs({})

"""Users and service accounts with all permissions in the cluster, and in no other cluster of the project."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.gcp.control_plane.reach import connecting_role, reaching
from gpucluster.components.kubernetes.objects.kinds import CLUSTER_ROLE_BINDING, RBAC
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of


class Admins(pulumi.ComponentResource):
    """For each principal the permission to find the cluster, by IAM, and all permissions in it, by Kubernetes; if the
    API has only a DNS name, also the permission to connect to it.

    `roles/container.admin` would give them access to all clusters of the project.
    """

    def __init__(
        self,
        name: str,
        principals: Sequence[str],
        *,
        project: str,
        connect_role: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """connect_role: id of a role to create, with permission to connect; None if addresses decide. after: APIs."""
        super().__init__("gpucluster:gcp:Admins", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        outside = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        connect = connecting_role(name, connect_role, what=name, project=project, opts=outside)
        for principal, full in reaching(name, principals, connect, project=project, opts=outside).items():
            address = principal.partition(":")[2]
            rights = {
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": [{"apiGroup": RBAC, "kind": "User", "name": address}],
            }
            Declared(f"{full}-rights", manifest_of(CLUSTER_ROLE_BINDING, rights), here)
        self.register_outputs({})

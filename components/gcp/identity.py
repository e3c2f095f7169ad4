"""The service account of nodes, the identities of pods, and people who manage the cluster or submit its jobs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import projects, serviceaccount

from gpucluster.components.kubernetes.objects.objects import CLUSTER_ROLE_BINDING, RBAC, Declared, manifest_of
from gpucluster.components.kubernetes.submitters import Submitter

CLOUD_PLATFORM: Final = "https://www.googleapis.com/auth/cloud-platform"
"""The scope that leaves permissions of nodes to the roles of their account."""

# Logs, metrics and images, nothing else. Source: GoogleCloudPlatform/cluster-toolkit v1.95.0,
# examples/gke-a3-ultragpu (node_pool_service_account).
_NODE_ROLES = (
    "artifactregistry.reader",
    "logging.logWriter",
    "monitoring.metricWriter",
    "monitoring.viewer",
    "stackdriver.resourceMetadata.writer",
    "storage.objectViewer",
)


class NodeIdentity(pulumi.ComponentResource):
    """Outputs: email. grants: its roles, on which nodes depend."""

    email: pulumi.Output[str]
    member: pulumi.Output[str]
    account: serviceaccount.Account
    grants: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        project: str,
        account_id: str,
        after: Sequence[pulumi.Resource],
        grant_hook: pulumi.ResourceHookBinding | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """grant_hook: hook that runs after a grant is created."""
        super().__init__("gpucluster:gcp:NodeIdentity", name, {}, opts)
        grant_options = pulumi.ResourceOptions(parent=self, hooks=grant_hook)
        self.account = serviceaccount.Account(
            f"{name}-account",
            account_id=account_id,
            project=project,
            display_name=f"GKE nodes of {name}",
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        self.email, self.member = self.account.email, self.account.member
        self.grants = _granted(f"{name}-account", self.member, _NODE_ROLES, project, grant_options)
        self.register_outputs({"email": self.email})


def workload_pool(project: str) -> str:
    """The pool of identities that a GKE cluster of the project gives to its pods."""
    return f"{project}.svc.id.goog"


def _granted(
    name: str,
    member: pulumi.Input[str],
    roles: Sequence[str],
    project: str,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    return [
        projects.IAMMember(
            f"{name}-{role.replace('.', '-').lower()}",
            project=project,
            role=f"roles/{role}",
            member=member,
            opts=opts,
        )
        for role in roles
    ]


VIEWER_ROLE: Final = "roles/container.clusterViewer"


def connection_role(
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


def grant_access(
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
    retained = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True))
    names = {who: f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', who.partition(':')[2])}" for who in principals}
    for who, full in names.items():
        projects.IAMMember(full, project=project, role=VIEWER_ROLE, member=who, opts=retained)
        if connect is not None:
            projects.IAMMember(f"{full}-connect", project=project, role=connect.name, member=who, opts=opts)
    return names


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
        connect = connection_role(name, connect_role, what=name, project=project, opts=outside)
        for principal, full in grant_access(name, principals, connect, project=project, opts=outside).items():
            address = principal.partition(":")[2]
            rights = {
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
                "subjects": [{"apiGroup": RBAC, "kind": "User", "name": address}],
            }
            Declared(f"{full}-rights", manifest_of(CLUSTER_ROLE_BINDING, rights), here)
        self.register_outputs({})


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
    connect = connection_role(name, connect_role, what=name, project=project, opts=outside)
    grant_access(name, principals, connect, project=project, opts=outside)

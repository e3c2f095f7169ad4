"""The service account of nodes, and the workload identity pool of pods."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import projects, serviceaccount

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
        known: pulumi.ResourceHookBinding | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """known: hook that runs after a grant is created."""
        super().__init__("gpucluster:gcp:NodeIdentity", name, {}, opts)
        granted = pulumi.ResourceOptions(parent=self, hooks=known)
        self.account = serviceaccount.Account(
            f"{name}-account",
            account_id=account_id,
            project=project,
            display_name=f"GKE nodes of {name}",
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        self.email, self.member = self.account.email, self.account.member
        self.grants = _granted(f"{name}-account", self.member, _NODE_ROLES, project, granted)
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

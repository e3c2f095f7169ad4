"""Karpenter's service account and its permissions in a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import projects, serviceaccount

# Source: cloudpilot-ai/karpenter-provider-gcp v0.5.0, deploy/iam/karpenter-controller-role.yaml. Not included, because
# nodes have no public addresses: compute.subnetworks.useExternalIp. Not included, because it changes any cluster of the
# project: container.clusters.update. Karpenter uses it if the system pool is not RUNNING, to create a node pool
# `karpenter-fallback` that no destroy would find; if refused, it checks again until the pool is RUNNING
# (pkg/controllers/nodepooltemplate/controller.go, pkg/providers/nodepooltemplate/nodepooltemplate.go).
PERMISSIONS: Final = (
    "compute.disks.create",
    "compute.images.get",
    "compute.images.list",
    "compute.instanceGroupManagers.get",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.list",
    "compute.instances.get",
    "compute.instances.list",
    "compute.machineTypes.list",
    "compute.networks.get",
    "compute.projects.get",
    "compute.regions.get",
    "compute.subnetworks.get",
    "compute.subnetworks.use",
    "compute.zoneOperations.get",
    "compute.zones.list",
    "container.clusters.get",
    "container.clusters.list",
)
MACHINE_PERMISSIONS: Final = (
    "compute.instances.create",
    "compute.instances.delete",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setServiceAccount",
    "compute.instances.setTags",
)
"""Permissions to change a machine, only of its own: never GKE's nodes or other resources of the project."""

# Prefix of its machines' names. Source: the same release, pkg/providers/instance/instance.go.
_OWN: Final = 'resource.name.extract("/instances/{name}").startsWith("karpenter-")'


def karpenter_identity(
    name: str,
    *,
    project: str,
    account_id: str,
    namespace: str,
    service_account: str,
    node_account: pulumi.Input[str],
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Output[str], list[pulumi.Resource]]:
    """The e-mail address of the account a Kubernetes service account acts as, and its grants, on which others depend.

    account_id: 6 to 30 characters, unique in the project; also names the role. node_account: e-mail address of the
    account of the machines, which Karpenter must be allowed to assign to them. after: the APIs and the cluster, with
    workload identity: the project's first cluster creates the pool of identities that the last grant names.
    """
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    account = serviceaccount.Account(name, account_id=account_id, project=project, display_name="Karpenter", opts=opts)
    machines = projects.IAMCustomRole(
        f"{name}-machines-role",
        project=project,
        role_id=f"{account_id}-machines".replace("-", "_"),
        title=f"Karpenter {account_id}: its machines",
        permissions=list(MACHINE_PERMISSIONS),
        opts=opts,
    )
    own = projects.IAMMember(
        f"{name}-machines",
        project=project,
        role=machines.name,
        member=account.member,
        condition=projects.IAMMemberConditionArgs(title="machines-of-karpenter", expression=_OWN),
        opts=opts,
    )
    role = projects.IAMCustomRole(
        f"{name}-role",
        project=project,
        role_id=account_id.replace("-", "_"),
        title=f"Karpenter {account_id}",
        permissions=list(PERMISSIONS),
        # An existing role loses the machine permissions only after they are granted separately.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[own])),
    )
    grants: list[pulumi.Resource] = [
        own,
        projects.IAMMember(f"{name}-grant", project=project, role=role.name, member=account.member, opts=opts),
        serviceaccount.IAMMember(
            f"{name}-nodes",
            service_account_id=pulumi.Output.format("projects/{0}/serviceAccounts/{1}", project, node_account),
            role="roles/iam.serviceAccountUser",
            member=account.member,
            opts=opts,
        ),
        serviceaccount.IAMMember(
            f"{name}-workload",
            service_account_id=account.name,
            role="roles/iam.workloadIdentityUser",
            member=f"serviceAccount:{project}.svc.id.goog[{namespace}/{service_account}]",
            opts=opts,
        ),
    ]
    return account.email, grants

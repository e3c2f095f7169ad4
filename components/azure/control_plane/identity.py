"""The cluster's identity and its roles."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

import pulumi
from pulumi_azure_native import authorization, managedidentity

from gpucluster.components.azure.arm import BUILT_IN_ROLES, role_id


class ClusterIdentity(pulumi.ComponentResource):
    """Outputs: identity_id. grants: its roles, on which the cluster depends.

    User-assigned: a cluster in its own network needs roles before it exists, and AKS uses reserved capacity only with
    this kind. Source: AKS documentation, "Use capacity reservation groups".
    """

    identity_id: pulumi.Output[str]
    principal_id: pulumi.Output[str]
    grants: list[authorization.RoleAssignment]

    def __init__(
        self,
        name: str,
        *,
        group: pulumi.Input[str],
        roles: Mapping[str, tuple[str, pulumi.Input[str], str]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """roles: suffix of a logical name -> role, the id of its scope, and its subscription."""
        super().__init__("gpucluster:azure:ClusterIdentity", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        identity = managedidentity.UserAssignedIdentity(f"{name}-cluster", resource_group_name=group, opts=here)
        self.identity_id, self.principal_id = identity.id, identity.principal_id
        self.grants = [
            granted(
                f"{name}-{suffix}",
                role,
                scope=scope,
                principal=identity.principal_id,
                subscription=subscription,
                opts=here,
            )
            for suffix, (role, scope, subscription) in roles.items()
        ]
        self.register_outputs({"identityId": self.identity_id})


def granted(
    name: str,
    role: str,
    *,
    scope: pulumi.Input[str],
    principal: pulumi.Input[str],
    subscription: str,
    opts: pulumi.ResourceOptions,
    kind: pulumi.Input[str] = "ServicePrincipal",
    guid: str | None = None,
) -> authorization.RoleAssignment:
    """A built-in role. kind: of the principal, which may be too new for the directory to know it. guid: name of the
    assignment, by default random.
    """
    return authorization.RoleAssignment(
        name,
        role_assignment_name=guid,
        principal_id=principal,
        principal_type=kind,
        role_definition_id=role_id(subscription, role),
        scope=scope,
        opts=opts,
    )


def granted_to_all(
    name: str, role: str, *, scope: str, principal: str, subscription: str, parent: pulumi.Resource
) -> authorization.RoleAssignment:
    """A built-in role of a principal that all clusters of a tenant share, for what is the user's. Azure has one
    assignment of a role to a principal at a scope (RoleAssignmentExists), so it is named by these three, taken over if
    another stack has made it, and left in place by a destroy.
    """
    guid = str(uuid5(NAMESPACE_URL, f"{scope} {principal} {BUILT_IN_ROLES[role]}".lower()))
    found = _assignment(guid, scope, parent)
    # Older stacks have random names. What has this name is the same grant, however its ids are written: an import with
    # a difference, such as capital letters, is an error.
    ignored = ["roleAssignmentName", *(("principalId", "principalType", "roleDefinitionId", "scope") if found else ())]
    opts = pulumi.ResourceOptions(parent=parent, retain_on_delete=True, ignore_changes=ignored, import_=found)
    return granted(name, role, scope=scope, principal=principal, subscription=subscription, guid=guid, opts=opts)


def _assignment(guid: str, scope: str, parent: pulumi.Resource) -> str | None:
    """The id of an assignment, None if it does not exist or nobody is logged in, as in a first preview."""
    try:
        return authorization.get_role_assignment(guid, scope, opts=pulumi.InvokeOptions(parent=parent)).id
    except Exception:  # Pulumi raises no other class, whatever the cloud answers; unknown in a preview is None
        return None

"""The cluster's identity and its roles."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_azure_native import authorization, managedidentity

from gpucluster.components.azure.arm import role_id


class ClusterIdentity(pulumi.ComponentResource):
    """Outputs: identity_id. grants: its roles, on which the cluster depends.

    User-assigned: a cluster in its own network needs roles before it exists, and AKS uses reserved capacity only with
    this kind. Source: AKS documentation, "Use capacity reservation groups".
    """

    identity_id: pulumi.Output[str]
    principal_id: pulumi.Output[str]
    grants: list[pulumi.Resource]

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
) -> authorization.RoleAssignment:
    """A built-in role. kind: of the principal, which may be too new for the directory to know it."""
    return authorization.RoleAssignment(
        name,
        principal_id=principal,
        principal_type=kind,
        role_definition_id=role_id(subscription, role),
        scope=scope,
        opts=opts,
    )

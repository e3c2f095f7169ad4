"""The cluster's identity, its roles, the wait until they apply, and the identity that runs the program."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, Final, Literal
from uuid import NAMESPACE_URL, uuid5

import pulumi
from pulumi_azure_native import authorization, managedidentity

from gpucluster.components.azure.arm import BUILT_IN_ROLES, role_id
from gpucluster.components.resources.run import simulated, wait


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
            role_assignment(
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


def role_assignment(
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


def shared_role_assignment(
    name: str, role: str, *, scope: str, principal: str, subscription: str, parent: pulumi.Resource
) -> authorization.RoleAssignment:
    """A built-in role of a principal that all clusters of a tenant share, for resources of the user. Azure has one
    assignment of a role to a principal at a scope (RoleAssignmentExists), so it is named by these three, taken over if
    another stack has made it, and left in place by a destroy.
    """
    guid = str(uuid5(NAMESPACE_URL, f"{scope} {principal} {BUILT_IN_ROLES[role]}".lower()))
    found = _assignment(guid, scope, parent)
    # Older stacks have random names. What has this name is the same grant, however its ids are written: an import with
    # a difference, such as capital letters, is an error.
    ignored = ["roleAssignmentName", *(("principalId", "principalType", "roleDefinitionId", "scope") if found else ())]
    opts = pulumi.ResourceOptions(parent=parent, retain_on_delete=True, ignore_changes=ignored, import_=found)
    return role_assignment(
        name, role, scope=scope, principal=principal, subscription=subscription, guid=guid, opts=opts
    )


def _assignment(guid: str, scope: str, parent: pulumi.Resource) -> str | None:
    """The id of an assignment, None if it does not exist, or without a login, as in a first preview."""
    try:
        return authorization.get_role_assignment(guid, scope, opts=pulumi.InvokeOptions(parent=parent)).id
    except Exception:  # Pulumi raises no other class, whatever the cloud answers; unknown in a preview is None
        return None


@dataclass(frozen=True)
class Caller:
    """object_id: in the directory. kind: of the principal; Azure refuses the wrong one (UnmatchedPrincipalType); if not
    set, the SDK says User for every principal.
    """

    object_id: pulumi.Output[str]
    kind: pulumi.Output[Literal["ServicePrincipal", "User"]]


def caller(opts: pulumi.InvokeOutputOptions) -> Caller:
    """The identity of the provider's login."""
    return Caller(
        object_id=authorization.get_client_config_output(opts=opts).object_id,
        kind=pulumi.Output.unsecret(authorization.get_client_token_output(opts=opts).token.apply(kind_of)),
    )


def kind_of(token: str) -> Literal["ServicePrincipal", "User"]:
    """The kind of a token's owner; only tokens of users state an application's permissions for them.

    Source: Microsoft identity platform documentation, "Access token claims reference" (`scp`: only for user tokens).
    """
    claims = token.split(".")[1]
    return (
        "User"
        if "scp" in json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        else ("ServicePrincipal")
    )


_PROPAGATION: Final = timedelta(minutes=5)
"""Sources: Azure Managed Lustre documentation, "Prerequisites"; AKS documentation, "Use Microsoft Entra ID
authorization for the Kubernetes API" (2026-08-18): up to five minutes, both. Azure RBAC documentation, "Troubleshoot
Azure RBAC": up to ten; hashicorp/terraform-provider-azurerm issue 24064: a cluster that is created too early."""


def propagation(grants: Sequence[authorization.RoleAssignment]) -> pulumi.Output[Any]:
    """An output to depend on: ready five minutes after the last grant was created; at once in a preview."""
    return pulumi.Output.all(*(pulumi.Output.all(grant.urn, grant.created_on) for grant in grants)).apply(_wait)


async def _wait(grants: Sequence[tuple[str, str | None]]) -> None:
    if pulumi.runtime.is_dry_run():
        return
    now = datetime.now(UTC)
    remaining = {urn: datetime.fromisoformat(moment) + _PROPAGATION - now for urn, moment in grants if moment}
    seconds = {urn: ceil(each.total_seconds()) for urn, each in remaining.items() if each > timedelta(0)}
    if seconds and not simulated():
        pulumi.log.info(f"waiting {max(seconds.values())} s for the granted roles to propagate in Azure")
    await asyncio.gather(*(wait(each, urn) for urn, each in seconds.items()))

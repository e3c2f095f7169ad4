"""No identity has every permission on everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import all_items, at, is_list, items, known_items, parsed, text
from gpucluster.policies.clouds.aws.policy_documents import document, trusts_anyone, wide_rights
from gpucluster.policies.clouds.azure.declared_pools import last
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import Accepted, CannotTell, Finding, Severity, Stack, StackRule, Violation

_POLICIES: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}" for name in ("policy", "rolePolicy", "userPolicy", "groupPolicy")
)
_IAM_ROLE: Final = "aws:iam/role:Role"
_ATTACHMENTS: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}"
    for name in ("policyAttachment", "rolePolicyAttachment", "userPolicyAttachment", "groupPolicyAttachment")
)
_ACCESS: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
_EVERYTHING: Final = ":iam::aws:policy/AdministratorAccess"
_IN_CLUSTER: Final = "AmazonEKSClusterAdminPolicy"


def _aws(stack: Stack) -> Iterator[Finding]:
    """IAM statements that allow any action, of all services or of one, on any resource; roles that anybody may assume;
    and the EKS access policy with every permission in a cluster.

    Sources: AWS managed policy AdministratorAccess; EKS user guide, "Review access policy permissions"
    (AmazonEKSClusterAdminPolicy).
    """
    for resource in stack.resources.of_type(*_POLICIES, _IAM_ROLE):
        yield from _policies(resource)
    for resource in stack.resources.of_type(*_ATTACHMENTS):
        attached = text(resource.inputs, "policyArn")
        if isinstance(attached, str) and attached.endswith(_EVERYTHING):
            fix = "Attach a policy with only the required rights."
            yield Violation(resource, "the policy AdministratorAccess", fix=fix)
        elif attached is UNKNOWN and not resource.dependencies.get("policyArn"):
            yield CannotTell(resource, "the policy that is attached is not known yet")
    for resource in stack.resources.of_type(_IAM_ROLE):
        yield from _trusted(resource)
    for resource in stack.resources.of_type(_ACCESS):
        yield from _in_cluster(resource, stack)


def _policies(resource: Resource) -> Iterator[Finding]:
    documents = [document(given) for given in _given(resource)]
    wide = [words for each in documents if each is not UNKNOWN for words in wide_rights(each)]
    if wide:
        yield Violation(resource, f"allows {'; '.join(dict.fromkeys(wide))}")
    elif UNKNOWN in documents:
        yield CannotTell(resource, "its policy is not known yet")


def _given(resource: Resource) -> list[Any]:
    if resource.type != _IAM_ROLE:
        return [at(resource.inputs, "policy")]
    everything = any(str(arn).endswith(_EVERYTHING) for arn in known_items(resource.inputs, "managedPolicyArns"))
    admin = [{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}] if everything else []
    return [*admin, *(at(entry, "policy") for entry in all_items(resource.inputs, "inlinePolicies"))]


def _trusted(role: Resource) -> Iterator[Finding]:
    policy = document(at(role.inputs, "assumeRolePolicy"))
    if policy is not UNKNOWN and trusts_anyone(policy):
        fix = "List the accounts, roles or services that may assume it, or restrict them by aws:PrincipalOrgID."
        yield Violation(role, "anyone in any account may assume this role", fix=fix)


def _in_cluster(access: Resource, stack: Stack) -> Iterator[Finding]:
    """An external principal counts as a cluster administrator; a role of the program could be taken over."""
    policy, scope = text(access.inputs, "policyArn"), text(access.inputs, "accessScope", "type")
    if not isinstance(policy, str) or not policy.endswith(_IN_CLUSTER) or scope == "namespace":
        return
    principal = text(access.inputs, "principalArn")
    what = f"the access policy {_IN_CLUSTER}: every right in the cluster"
    if _own_identity(access, stack) or (isinstance(principal, str) and principal.endswith(":root")):
        yield Violation(access, what, fix="Associate AmazonEKSEditPolicy or AmazonEKSViewPolicy with namespaces.")
    elif isinstance(principal, str):
        yield Accepted(access, what, "its principal comes from outside this program, as an administrator")
    else:
        yield CannotTell(access, f"{what}; for whom is not known yet")


def _own_identity(access: Resource, stack: Stack) -> bool:
    """Whether the principal, possibly through its access entry, is a role or user in this stack."""
    made = stack.resources.present(access.dependencies.get("principalArn", ()))
    return any(
        one.type.startswith("aws:iam/") or (one.type != access.type and _own_identity(one, stack)) for one in made
    )


_GRANTS: Final = tuple(
    f"gcp:{level}/{kind}:{kind[0].upper()}{kind[1:]}"
    for level in ("projects", "folder", "organizations")
    for kind in ("iAMMember", "iAMBinding")
)
_WHOLE: Final = tuple(f"gcp:{level}/iAMPolicy:IAMPolicy" for level in ("projects", "folder", "organizations"))
_BASIC: Final = ("roles/owner", "roles/editor")
_ANYONE: Final = ("allUsers", "allAuthenticatedUsers")


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Basic roles of Google Cloud, with thousands of permissions on everything in a project (IAM page "Basic roles"),
    and roles on a project or above it for anyone (IAM page "Principal identifiers").
    """
    for grant in stack.resources.of_type(*_GRANTS):
        yield from _grant(grant, stack)
    for policy in stack.resources.of_type(*_WHOLE):
        yield from _policy(policy)


def _grant(grant: Resource, stack: Stack) -> Iterator[Finding]:
    role = text(grant.inputs, "role")
    if wrong := _wrong(role, [text(grant.inputs, "member"), *known_items(grant.inputs, "members")]):
        yield Violation(grant, wrong)
    elif role is UNKNOWN and not _own_role(stack, grant.dependencies.get("role", ())):
        yield CannotTell(grant, "the role that is granted is not known yet")


def _policy(policy: Resource) -> Iterator[Finding]:
    """A whole policy: JSON, usually from a data source."""
    given = text(policy.inputs, "policyData")
    if given is UNKNOWN:
        yield CannotTell(policy, "the roles that it grants are not known yet")
    elif given is not None:
        bindings = items(parsed(given), "bindings")
        found = [_wrong(at(one, "role"), at(one, "members")) for one in (bindings if is_list(bindings) else ())]
        if wrong := [words for words in found if words]:
            yield Violation(policy, "; ".join(dict.fromkeys(wrong)))


def _wrong(role: object, members: object) -> str | None:
    if role in _BASIC:
        return f"the basic role {role}"
    open_to = [one for one in members if one in _ANYONE] if is_list(members) else []
    return f"the role {role} for {' and '.join(open_to)}" if open_to and isinstance(role, str) else None


def _own_role(stack: Stack, urns: tuple[str, ...]) -> bool:
    """Whether the role is in this stack; such a role is not a basic one."""
    return any(role.type.endswith("CustomRole") for role in stack.resources.present(urns))


_GRANT: Final = "azure-native:authorization:RoleAssignment"
_ROLE_DEFINITION: Final = "azure-native:authorization:RoleDefinition"
_WIDE: Final = {
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "Owner",
    "b24988ac-6180-42a0-ab88-20f7382dd24c": "Contributor",
}
_ABOVE: Final = r"(?i)/|/subscriptions/[^/]+/?|/providers/Microsoft\.Management/managementGroups/.*"
_ALL: Final = r"[*/]*\*[*/]*"


def _azure(stack: Stack) -> Iterator[Finding]:
    """Azure roles with every action, granted on a whole subscription or above it.

    Source: Azure page "Azure built-in roles": ids of Owner and Contributor, whose actions are `*`.
    """
    for grant in stack.resources.of_type(_GRANT):
        yield from _assignment(grant)
    for role in stack.resources.of_type(_ROLE_DEFINITION):
        yield from _definition(role)


def _assignment(grant: Resource) -> Iterator[Finding]:
    role, scope = text(grant.inputs, "roleDefinitionId"), text(grant.inputs, "scope")
    name = _WIDE.get(last(role).lower()) if isinstance(role, str) else None
    if name and isinstance(scope, str) and re.fullmatch(_ABOVE, scope):
        yield Violation(grant, f"the role {name} on a whole subscription or above it")
    elif name and scope is UNKNOWN and not grant.dependencies.get("scope"):
        yield CannotTell(grant, f"the scope of the role {name} is not known yet")
    elif role is UNKNOWN and not grant.dependencies.get("roleDefinitionId"):
        yield CannotTell(grant, "the role that is granted is not known yet")


def _definition(role: Resource) -> Iterator[Finding]:
    scopes = items(role.inputs, "assignableScopes")
    actions = [action for entry in all_items(role.inputs, "permissions") for action in all_items(entry, "actions")]
    wide = [action for action in actions if isinstance(action, str) and re.fullmatch(_ALL, action)]
    above = scopes is not UNKNOWN and any(isinstance(scope, str) and re.fullmatch(_ABOVE, scope) for scope in scopes)
    if wide and above:
        yield Violation(role, f"a role with action `{wide[0]}` for a whole subscription or above it")
    elif (wide or UNKNOWN in actions) and (above or scopes is UNKNOWN):
        yield CannotTell(role, "its actions and scope are not known yet")


_CLUSTER_ROLE: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
_BINDING: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
_ADMIN: Final = "cluster-admin"
_NAMED: Final = "it lists people, as administrators of the cluster"
_VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")


def _kubernetes(stack: Stack) -> Iterator[Finding]:
    """Cluster roles of Kubernetes with every verb on everything.

    Sources: Kubernetes pages "Using RBAC Authorization" and "Authorization" (request verbs).
    """
    for role in stack.resources.of_type(_CLUSTER_ROLE):
        rules = items(role.inputs, "rules")
        if rules is UNKNOWN:
            yield CannotTell(role, "its rules are not known yet")
        elif any(_every(rule, "apiGroups") and _every(rule, "resources") and _every_verb(rule) for rule in rules):
            yield Violation(role, "every verb on every resource")
    for binding in stack.resources.of_type(_BINDING):
        if text(binding.inputs, "roleRef", "name") == _ADMIN:
            what = f"the role {_ADMIN}: every verb on every resource"
            yield Accepted(binding, what, _NAMED) if _people(binding) else Violation(binding, what)


def _people(binding: Resource) -> bool:
    """Whether all of its subjects are users or groups, which Kubernetes knows only by name."""
    subjects = known_items(binding.inputs, "subjects")
    return bool(subjects) and all(
        text(subject, "kind") in ("User", "Group")
        and isinstance(name := text(subject, "name"), str)
        and not name.startswith("system:")
        for subject in subjects
    )


def _every(rule: Any, name: str) -> bool:
    return any(one in ("*", "*/*") for one in known_items(rule, name))


def _every_verb(rule: Any) -> bool:
    return _every(rule, "verbs") or {*_VERBS} <= {str(verb) for verb in known_items(rule, "verbs")}


RULE: Final = StackRule(
    name="no-wildcard-rights",
    title="No identity has all rights on all resources, and no role is open to everyone",
    why="A compromised node or controller can then start GPU machines in the whole account, read every bucket, and "
    "disable its audit logs.",
    severity=Severity.HIGH,
    order=150,
    **per_cloud(
        aws=CloudCheck(
            check=_aws,
            reads=", ".join((*_POLICIES, _IAM_ROLE, *_ATTACHMENTS, _ACCESS)),
            fix="List the required actions and the ARNs that they apply to.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=", ".join((*_GRANTS, *_WHOLE)),
            fix="Grant only the required predefined roles, on the resource that needs them.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=f"{_GRANT}, {_ROLE_DEFINITION}",
            fix="Grant a role with only the required actions, on the resource or resource group that needs them.",
        ),
        kubernetes=CloudCheck(
            check=_kubernetes,
            reads=f"{_CLUSTER_ROLE}, {_BINDING}",
            fix="List the required apiGroups, resources and verbs, and bind them in the namespace that needs them.",
        ),
    ),
)

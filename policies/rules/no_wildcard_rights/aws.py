"""IAM statements that allow any action, of all services or of one, on any resource; roles that anybody may assume; and
the EKS access policy with every permission in a cluster.

Sources: AWS managed policy AdministratorAccess; EKS user guide, "Review access policy permissions"
(AmazonEKSClusterAdminPolicy).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.policies.clouds.aws.policy_documents import document, trusts_everybody, wide_rights
from gpucluster.policies.rule import Accepted, CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, items, text

_POLICIES: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}" for name in ("policy", "rolePolicy", "userPolicy", "groupPolicy")
)
_ROLE: Final = "aws:iam/role:Role"
_ATTACHMENTS: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}"
    for name in ("policyAttachment", "rolePolicyAttachment", "userPolicyAttachment", "groupPolicyAttachment")
)
_ACCESS: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
_EVERYTHING: Final = ":iam::aws:policy/AdministratorAccess"
_IN_CLUSTER: Final = "AmazonEKSClusterAdminPolicy"

FIX: Final = "List the required actions and the ARNs that they apply to."
READS: Final = ", ".join((*_POLICIES, _ROLE, *_ATTACHMENTS, _ACCESS))


def check(stack: Stack) -> Iterator[Finding]:
    for type_ in (*_POLICIES, _ROLE):
        for resource in stack.resources.of_type(type_):
            yield from _written(resource)
    for type_ in _ATTACHMENTS:
        for resource in stack.resources.of_type(type_):
            attached = text(resource.inputs, "policyArn")
            if isinstance(attached, str) and attached.endswith(_EVERYTHING):
                yield Violation(
                    resource, "the policy AdministratorAccess", fix="Attach a policy with only the required rights."
                )
            elif attached is UNKNOWN and not resource.dependencies.get("policyArn"):
                yield CannotTell(resource, "the policy that is attached is not known yet")
    for resource in stack.resources.of_type(_ROLE):
        yield from _trusted(resource)
    for resource in stack.resources.of_type(_ACCESS):
        yield from _in_cluster(resource, stack)


def _written(resource: Resource) -> Iterator[Finding]:
    documents = [document(given) for given in _given(resource)]
    wide = [words for each in documents if each is not UNKNOWN for words in wide_rights(each)]
    if wide:
        yield Violation(resource, f"allows {'; '.join(dict.fromkeys(wide))}")
    elif UNKNOWN in documents:
        yield CannotTell(resource, "its policy is not known yet")


def _given(resource: Resource) -> list[Any]:
    if resource.type != _ROLE:
        return [at(resource.inputs, "policy")]
    inline = items(resource.inputs, "inlinePolicies")
    managed = items(resource.inputs, "managedPolicyArns")
    everything = managed is not UNKNOWN and any(str(arn).endswith(_EVERYTHING) for arn in managed)
    admin = [{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}] if everything else []
    return [*admin, *([UNKNOWN] if inline is UNKNOWN else [at(entry, "policy") for entry in inline])]


def _trusted(role: Resource) -> Iterator[Finding]:
    policy = document(at(role.inputs, "assumeRolePolicy"))
    if policy is not UNKNOWN and trusts_everybody(policy):
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

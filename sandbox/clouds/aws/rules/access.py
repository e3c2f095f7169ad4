"""Access to a cluster.

Sources: Amazon EKS API, CreateAccessEntry and AssociateAccessPolicy; Amazon EKS user guide, "Create access entries" (an
ARN of STS is no principal) and "Review access policy permissions".
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_ENTRY: Final = "aws:eks/accessEntry:AccessEntry"
_ASSOCIATION: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
_PRINCIPAL: Final = r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/\S+"
_POLICY: Final = r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+"


@rule(_ENTRY)
def principal_is_a_role_or_user(managed: ManagedResource) -> None:
    """An access entry is for an IAM role or user, not for a session of one."""
    arn = managed.inputs["principalArn"]
    if not re.fullmatch(_PRINCIPAL, arn):
        message = f"The specified principalArn is invalid: invalid principal: {arn}"
        raise refused(managed, "EKS: CreateAccessEntry", 400, "InvalidParameterException", message)


@rule(_ASSOCIATION)
def policy_goes_to_an_access_entry(managed: ManagedResource) -> None:
    """A policy is one of EKS, and its principal has an access entry in the cluster."""
    policy, wanted = managed.inputs["policyArn"], (managed.inputs["principalArn"], managed.inputs["clusterName"])
    if not re.fullmatch(_POLICY, policy):
        message = f"The policyArn parameter format is not valid: {policy}"
        raise refused(managed, "EKS: AssociateAccessPolicy", 400, "InvalidParameterException", message)
    entries = managed.others(_ENTRY, wanted[0])
    if not any((entry.inputs["principalArn"], entry.inputs["clusterName"]) == wanted for entry in entries):
        message = (
            f"The specified principalArn could not be found. You can view your available access entries: {wanted[0]}"
        )
        raise refused(managed, "EKS: AssociateAccessPolicy", 404, "ResourceNotFoundException", message)

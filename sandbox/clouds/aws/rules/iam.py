"""IAM's requirements for policies."""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_MANAGED_POLICY_SIZE: Final = 6144


@rule("aws:iam/policy:Policy")
def policy_is_small_enough(managed: ManagedResource) -> None:
    """A managed policy has up to 6,144 characters, without blanks (IAM user guide, "IAM and AWS STS quotas")."""
    if len("".join(str(managed.inputs.get("policy") or "").split())) > _MANAGED_POLICY_SIZE:
        message = f"Cannot exceed quota for PolicySize: {_MANAGED_POLICY_SIZE}"
        raise refused(managed, "IAM: CreatePolicy", 409, "LimitExceeded", message)

"""Registration of rules and the form of the errors they raise."""

from __future__ import annotations

from gpucluster.sandbox.clouds.account import Rules
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.cloud import CloudError

RULES: Rules[ManagedResource] = Rules()
rule = RULES.rule


def refused(managed: ManagedResource, operation: str, status: int, code: str, message: str) -> CloudError:
    """An error in the AWS provider's wording: its action, the API operation, and the API's own code and text."""
    service, action = operation.split(": ")
    doing = "updating" if managed.previous else "creating"
    kind = managed.token.rsplit(":", 1)[-1]
    name = managed.name or (managed.id if managed.previous else "")
    answer = (
        f"operation error {service}: {action}, https response error StatusCode: {status}, api error {code}: {message}"
    )
    return CloudError(f"{doing} {service} {kind}{f' ({name})' if name else ''}: {answer}")

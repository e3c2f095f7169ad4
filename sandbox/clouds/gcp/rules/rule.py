"""Registration of rules and the form of the errors they raise."""

from __future__ import annotations

from gpucluster.sandbox.clouds.account import Rules
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.model import ManagedResource

RULES: Rules[ManagedResource] = Rules()
rule = RULES.rule


def refused(managed: ManagedResource, message: str, *, status: int = 400, reason: str = "badRequest") -> CloudError:
    """An error in the provider's wording: its action, and the API's status, text and reason."""
    doing = "updating" if managed.previous else "creating"
    kind = managed.token.rsplit(":", 1)[-1]
    name = f' "{managed.id if managed.previous else managed.name or managed.id}"'
    return CloudError(f"Error {doing} {kind}{name}: googleapi: Error {status}: {message}, {reason}")


def kept_from(managed: ManagedResource, what: str) -> CloudError:
    """Refuses a request that the API would accept and that then does not work; the error states this.

    what: the consequence in a real project.
    """
    kind = managed.token.rsplit(":", 1)[-1]
    return CloudError(f'the sandbox does not make {kind} "{managed.name}", though a real project would: {what}')

"""AWS resources as models and rules see them, the registries of both, and the form of the errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.sandbox.clouds import model
from gpucluster.sandbox.clouds.aws import names
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.model import Rules


@dataclass(frozen=True, kw_only=True)
class ManagedResource(model.ManagedResource):
    """A resource of AWS during a create or update.

    scope: its region, or "global".
    region: its region, empty for global types.
    tags: its own, which override the provider's default tags.
    """

    provider: str = "aws"
    region: str
    tags: Mapping[str, str]

    def arn(self, service: str, path: str) -> str:
        """An ARN in this resource's region."""
        return names.arn(service, self.region, path)


_Outputs = Callable[[ManagedResource], Mapping[str, Any]]

MODELS: model.Models[ManagedResource] = model.Models(keeping=frozenset({"tags"}))
"""By type token, registered by the modules of `models/`."""


def models(token: str, *, id: str | Callable[[ManagedResource], str], **more: Any) -> Callable[[_Outputs], _Outputs]:
    """Registers a function as the computed outputs of a type; a string id is the prefix of an EC2-style id.

    more: as in `model.Models.register`.
    """

    def make_id(managed: ManagedResource) -> str:
        return names.hex_id(id) if isinstance(id, str) else id(managed)

    return MODELS.register(token, id=make_id, **more)


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

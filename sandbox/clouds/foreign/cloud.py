# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""A provider without a simulation: its resources are stored as its SDK declares them, and nothing is computed or
run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.cloud import Account, Cloud, Made, Resource, UnansweredError
from gpucluster.sandbox.clouds.diff import Change
from gpucluster.sandbox.clouds.foreign.random_values import random_values
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.clouds.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.sdk import DYNAMIC
from gpucluster.sandbox.clouds.validate import Failure
from gpucluster.sandbox.clouds.values import plain


class ForeignCloud(Cloud):
    """Accepts any configuration: only the provider itself can validate it."""

    checked = False

    def __init__(self, package: str) -> None:
        self.package = package

    def resource_type(self, schema: Schema, token: str) -> ResourceType | None:
        """A resource that the program defines itself accepts any properties."""
        return ResourceType(token, {}, {}, open=True) if self.package == DYNAMIC else schema.resource_type(token)

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        return _ForeignAccount(ledger, self.package)


class _ForeignAccount(Account):
    """All resources of a package, in one scope."""

    def __init__(self, ledger: Ledger, package: str) -> None:
        super().__init__(ledger)
        self._package = package
        if package != "random":
            self.remark = (
                f"the sandbox has no simulation of the provider {package!r}: its resources are kept as its SDK "
                "declares them, nothing of it is run, and what it would compute is unknown, empty or made up"
            )

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        return self._package

    def failures(self, resource: Resource) -> list[Failure]:
        # Only the provider knows inputs beyond its schema, such as a text for an object.
        return []

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return dict(resource.inputs)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        # A change of `keepers` or any other input requires a new random value.
        return True if self._package == "random" else None

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return {}

    def create(self, resource: Resource) -> Made:
        id_ = random_hex(12)
        if self._package != "random":
            return Made(id=id_, name="", outputs={})
        values = random_values(resource.token, plain(resource.inputs))
        return Made(id=str(values.get("result", id_)), name="", outputs=values)

    def update(self, resource: Resource) -> Made:
        return Made(id=resource.id, name="", outputs={})

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        raise UnansweredError(token)

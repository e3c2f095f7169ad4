# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""The simulated toy cloud: whatever is asked for is there at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.cloud import Account, Change, Cloud, CloudError, CreatedResource, Resource
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import ResourceType

__all__ = ["SIMULATED"]


class ToyAccount(Account):
    """One region."""

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        return "toy-1"

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return dict(resource.inputs)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return None

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return {}

    def create(self, resource: Resource) -> CreatedResource:
        return CreatedResource(id=resource.logical_name, name=resource.logical_name, outputs={})

    def update(self, resource: Resource) -> CreatedResource:
        return self.create(resource)

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        raise CloudError(f"{token} is not simulated")


class Toy(Cloud):
    """The package `toy`."""

    package = "toy"

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        return ToyAccount(ledger)


SIMULATED: Final = Toy

# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""A provider the sandbox has no simulation of: every program that uses it is told so, once and plainly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpucluster.sandbox.clouds.cloud import Account, Cloud, CloudError
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.validate import Failure

__all__ = ["Unsimulated"]


class Unsimulated(Cloud):
    """Refuses its own configuration, so that no resource is reached."""

    def __init__(self, package: str, simulated: Sequence[str]) -> None:
        self.package = package
        self._reason = f"the sandbox does not simulate the provider {package!r}; simulated: {', '.join(simulated)}"

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        return [Failure("", self._reason)]

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        raise CloudError(self._reason)

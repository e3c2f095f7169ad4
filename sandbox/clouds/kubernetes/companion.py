"""The interface of the programs beside a live cluster's API server, for the simulated clouds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.ledger import Ledger


class Companion(Protocol):
    """The controllers of one cluster. All methods raise EngineError if a program fails."""

    def install(self, release: Mapping[str, Any]) -> None:
        """Runs the controllers of a Helm release, or restarts them. release: its inputs."""
        ...

    def remove(self, release: Mapping[str, Any]) -> None:
        """Stops the controllers of a Helm release."""
        ...

    def settle(self) -> Sequence[str]:
        """Updates nodes and controllers to the current ledger; returns notices for the user, in lines."""
        ...


class Companions(Protocol):
    """The controllers of every cluster of a run."""

    def wanted(self, folder: Path) -> bool:
        """Whether the cluster with its server's files in `folder` is live."""
        ...

    def open(self, server: Server, client: Client, ledger: Ledger, scope: str) -> AbstractContextManager[Companion]:
        """The controllers of one cluster, started if needed. Raises EngineError."""
        ...

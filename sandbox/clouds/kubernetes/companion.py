"""What runs beside the real API server of a cluster that lives, as the simulated clouds see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.ledger import Ledger


class Companion(Protocol):
    """The controllers of one cluster. All of it raises EngineError where a program does not work."""

    def install(self, release: Mapping[str, Any]) -> None:
        """Runs what a Helm release brings, or runs it anew. release: its inputs."""
        ...

    def remove(self, release: Mapping[str, Any]) -> None:
        """Ends what a Helm release brought."""
        ...

    def settle(self) -> Sequence[str]:
        """Makes nodes and controllers those of the ledger as it is now; what a user should know of them, in lines."""
        ...


class Companions(Protocol):
    """The controllers of every cluster of a run."""

    def wanted(self, folder: Path) -> bool:
        """Whether the cluster whose server's files are in `folder` lives."""
        ...

    def open(self, server: Server, client: Client, ledger: Ledger, scope: str) -> AbstractContextManager[Companion]:
        """Those of one cluster, started where they do not run. Raises EngineError."""
        ...

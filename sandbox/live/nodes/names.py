"""The machines that a cluster has had: no name comes again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.narrow import mapping

_KEPT: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "sandbox-machines", "namespace": "kube-system"},
}


def last_of(client: Client) -> dict[str, int]:
    """Pool -> the highest number that a machine of it has had. Raises ObjectRefused."""
    return {pool: int(number) for pool, number in mapping(mapping(client.get(_KEPT)).get("data")).items()}


def keep_last(client: Client, last: Mapping[str, int]) -> None:
    """Writes that down. Raises ObjectRefused."""
    client.apply({**_KEPT, "data": {pool: str(number) for pool, number in last.items()}})

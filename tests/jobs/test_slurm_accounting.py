"""What a real API server says of the objects that record Slurm's jobs, by the definitions of Slinky's operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gpucluster.components.kubernetes.objects import charts
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server
from tests.components.recorded import plan_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OBJECTS = ("database-persistentvolumeclaim", "database-service", "database-statefulset", "slurm-accounting")
INPUTS = plan_of("azure", "slurm-accounting").inputs


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    source = source_of("slurm-operator-crds", charts.SLURM_CRDS.version)
    assert source is not None
    with open_server(tmp_path_factory.mktemp("accounting"), find_binaries()) as server:
        found = Client(server)
        found.define(definitions_of(source))
        for name in ("namespace", *OBJECTS, "slurm-controller"):
            found.apply(INPUTS[f"slurm-{name}"])
        yield found


@pytest.mark.parametrize("name", [*OBJECTS, "slurm-controller"])
def test_the_api_server_takes_each_object_and_drops_no_field(client: Client, name: str) -> None:
    sent = INPUTS[f"slurm-{name}"]
    there = client.get(sent)
    assert there is not None
    assert _within(sent["spec"], there["spec"]) == sent["spec"]


def _within(sent: Any, there: Any) -> Any:
    """The part of an answer that was sent, without what the server adds."""
    if isinstance(sent, dict) and isinstance(there, dict):
        return {key: _within(item, there.get(key)) for key, item in sent.items()}
    if isinstance(sent, list) and isinstance(there, list) and len(sent) == len(there):
        return [_within(*pair) for pair in zip(sent, there, strict=True)]
    return there

"""Azure Resource Manager on this machine, for one test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gpucluster.operate.preflight.azure.resource_manager import ResourceManager, certificate, served
from tests.gpucluster.operate.preflight.azure.subscription import answers


@pytest.fixture(scope="session")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("azure"))


@pytest.fixture
def manager(pem: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ResourceManager]:
    """With a subscription that has everything. No request is a write, or one that Azure does not have."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem))
    with served(ResourceManager(answers=answers()), pem) as found:
        monkeypatch.setattr("gpucluster.operate.clients.azure.clients.ENDPOINT", found.url)
        yield found
    assert (found.writes, found.refused) == ([], [])

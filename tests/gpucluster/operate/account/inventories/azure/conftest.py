"""Azure Resource Manager on this machine, and a login to it; a subscription without anything of a stack."""

from __future__ import annotations

import pytest

from gpucluster.operate.clients.azure import subscription
from tests.gpucluster.operate.preflight.azure.conftest import manager, pem
from tests.gpucluster.operate.preflight.azure.resource_manager import ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import Login

__all__ = ["manager", "pem"]


@pytest.fixture(autouse=True)
def _empty(manager: ResourceManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscription, "login", lambda *_: Login())
    manager.answers |= {"resources": [], "groups": []}

"""A project behind the loopback server of Google's own discovery documents, with nothing of a stack in it."""

from __future__ import annotations

import pytest

from tests.gpucluster.operate.preflight.gcp.conftest import google, login
from tests.gpucluster.operate.preflight.gcp.google import Google

__all__ = ["google", "login"]


@pytest.fixture(autouse=True)
def _empty(google: Google, login: object) -> None:
    del login
    google.answers |= {
        "cloudasset.searchAllResources": lambda _: {},
        "container.projects.locations.clusters.list": lambda _: {},
        **{
            f"compute.{kind}.list": lambda _: {}
            for kind in ("networks", "routers", "subnetworks", "firewalls", "globalAddresses", "resourcePolicies")
        },
    }


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK retries without waiting."""
    monkeypatch.setattr("googleapiclient.http.time.sleep", lambda _: None)

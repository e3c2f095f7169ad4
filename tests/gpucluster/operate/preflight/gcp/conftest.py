"""A project behind the loopback server, and a login to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from requests.adapters import BaseAdapter

from tests.gpucluster.operate.preflight.gcp.google import Google, Rerouted, serving
from tests.gpucluster.operate.preflight.gcp.world import whole


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[Google]:
    """The APIs of a project that allows everything. Fails a test that sends what no document has, or writes."""
    found = Google(answers=whole())
    rerouted = Rerouted(found)

    def adapter(_: requests.Session, url: str) -> BaseAdapter:
        del url
        return rerouted

    monkeypatch.setattr(requests.Session, "get_adapter", adapter)
    with serving(found):
        yield found
    assert found.wrong == []
    assert found.writes == []


@pytest.fixture
def login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Application default credentials of a person."""
    path = tmp_path / "adc.json"
    person = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
    path.write_text(json.dumps(person))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    monkeypatch.setenv("PATH", str(tmp_path))
    return path


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK retries without waiting."""
    monkeypatch.setattr("googleapiclient.http.time", SimpleNamespace(sleep=lambda _: None))

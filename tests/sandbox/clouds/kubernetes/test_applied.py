"""What a real API server had of a cluster when it was opened last, and has no longer to have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.kubernetes import api_server
from gpucluster.sandbox.clouds.kubernetes.verdict import Verdict
from gpucluster.sandbox.clouds.store.ledger import Ledger


class _Client:
    """Of a server that has these kinds alone."""

    def __init__(self, server: Server) -> None:
        del server
        self.deleted: list[Mapping[str, Any]] = []

    def knows(self, api_version: str, kind: str) -> bool:
        return (api_version, kind) in {("v1", "ConfigMap"), ("rbac.authorization.k8s.io/v1", "ClusterRole")}

    def delete(self, document: Mapping[str, Any]) -> None:
        self.deleted.append(document)


def test_what_has_left_the_ledger_leaves_the_server_by_its_whole_name(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_server, "Client", _Client)
    kept = {
        "kubernetes:core/v1:ConfigMap|a/b": "1",
        "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole|team|admin": "2",
    }
    (tmp_path / "applied.json").write_text(json.dumps(kept))
    server = Server(url="https://127.0.0.1:1", token="t", authority=tmp_path / "apiserver.crt", folder=tmp_path)
    opened = api_server.RealServer(server, Verdict())
    opened.catch_up(ledger, "https://cluster.sandbox.invalid")
    assert isinstance(opened.client, _Client)
    found = [(it["kind"], it["metadata"]["namespace"], it["metadata"]["name"]) for it in opened.client.deleted]
    assert found == [("ConfigMap", "a", "b"), ("ClusterRole", None, "team|admin")]
    assert json.loads((tmp_path / "applied.json").read_text()) == {}

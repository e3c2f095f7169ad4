"""KubeRay's operator runs where a cluster knows Ray, with the rights of its chart and no others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.live.cluster import remarks
from gpucluster.sandbox.live.controllers import Site, kuberay


class Knows:
    """A cluster that knows these kinds, and what it was given."""

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds
        self.given: list[Mapping[str, Any]] = []

    def knows(self, api_version: str, kind: str) -> bool:
        return f"{api_version} {kind}" in self.kinds

    def apply(self, document: Mapping[str, Any]) -> None:
        self.given.append(document)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Knows:
    (tmp_path / "role.yaml").write_text("kind: ClusterRole\nmetadata: {name: kuberay-operator}\nrules: []\n")
    monkeypatch.setattr("gpucluster.sandbox.live.controllers.fetch", lambda *_: tmp_path)
    monkeypatch.setattr(Site, "program", lambda *given: Path("/programs") / given[-1])
    return Knows("ray.io/v1 RayCluster")


def site(tmp_path: Path, client: Knows) -> Site:
    server = Server(url="https://127.0.0.1:1", token="t", authority=tmp_path / "a.crt", folder=tmp_path, living=True)
    ledger = Ledger(tmp_path / "ledger")
    return Site(server=server, client=cast("Client", client), ledger=ledger, scope="x", folder=tmp_path, say=print)


def test_a_cluster_without_ray_has_no_operator(tmp_path: Path) -> None:
    client = Knows()
    assert kuberay(site(tmp_path, client)) is None
    assert client.given == []


def test_kuberay_acts_as_the_account_that_the_rules_of_a_stack_name(tmp_path: Path, client: Knows) -> None:
    found = kuberay(site(tmp_path, client))
    assert found is not None
    assert (found.name, found.command[0]) == ("kuberay-operator", "/programs/kuberay-operator")
    account = '"as": "system:serviceaccount:kuberay-system:kuberay-operator"'
    assert account in Path(found.environment["KUBECONFIG"]).read_text()
    assert [document["kind"] for document in client.given] == [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
    ]
    assert client.given[-1]["roleRef"]["name"] == "kuberay-operator"


def test_kuberay_is_the_same_program_for_the_next_command(tmp_path: Path, client: Knows) -> None:
    here = site(tmp_path, client)
    assert kuberay(here) == kuberay(here)


def test_a_run_that_did_not_ask_for_controllers_is_told_of_them(tmp_path: Path) -> None:
    told = [remarks(site(tmp_path, Knows()), ["kueue"], [], requested=requested) for requested in (True, False)]
    assert [line for line in told[1] if line not in told[0]] == [
        "  an earlier `--kubernetes live` made it a live cluster: its controllers run with `real`, too"
    ]

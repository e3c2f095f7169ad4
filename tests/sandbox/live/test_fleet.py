"""The manager's access to a worker: of two live clusters it is the local one, with the rights of the account."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.live import fleet
from gpucluster.sandbox.live.controllers import Site
from gpucluster.sandbox.live.fleet import with_local_access

ADDRESS = "https://ABC.gr7.us-east-1.eks.sandbox.invalid"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A manager beside one other cluster, at ADDRESS."""
    ledger = Ledger(tmp_path / "ledger")
    cluster = Entry(
        provider="aws",
        scope="us-east-1",
        type="aws:eks/cluster:Cluster",
        id="c",
        name="c",
        urn="u",
        inputs={},
        outputs={"endpoint": ADDRESS},
    )
    ledger.put(cluster)
    server = _server(tmp_path, "https://127.0.0.1:1")
    yield Site(server=server, client=Client.__new__(Client), ledger=ledger, scope="scope", folder=tmp_path, say=print)
    ledger.close()


def _server(path: Path, url: str) -> Server:
    (path / "apiserver.crt").write_text("certificate")
    return Server(url=url, token="admin", authority=path / "apiserver.crt", folder=path / "manager")


def _secret(address: str = ADDRESS) -> dict[str, Any]:
    claims = base64.urlsafe_b64encode(json.dumps({"sub": "system:serviceaccount:kueue-system:fleet"}).encode())
    token = f"header.{claims.decode().rstrip('=')}.signature"
    document = {"clusters": [{"cluster": {"server": address}}], "users": [{"user": {"token": token}}]}
    return {"metadata": {"name": "fleet-a"}, "stringData": {"kubeconfig": json.dumps(document)}}


def test_the_address_is_the_local_one_and_the_user_the_account_of_the_token(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = _server(tmp_path, "https://127.0.0.1:2")
    monkeypatch.setattr(fleet, "running_server", lambda _: worker)
    found = json.loads(with_local_access(site, _secret())["stringData"]["kubeconfig"])
    bundle = base64.b64encode(b"certificate").decode()
    assert found == {
        "clusters": [{"cluster": {"server": "https://127.0.0.1:2", "certificate-authority-data": bundle}}],
        "users": [
            {
                "user": {
                    "token": "admin",
                    "as": "system:serviceaccount:kueue-system:fleet",
                    "as-groups": [
                        "system:serviceaccounts",
                        "system:serviceaccounts:kueue-system",
                        "system:authenticated",
                    ],
                }
            }
        ],
    }


@pytest.mark.parametrize(
    "secret",
    [_secret("https://elsewhere.example"), {"stringData": {"kubeconfig": "no JSON"}}, {"stringData": {"token": "t"}}],
    ids=["another cluster", "no kubeconfig", "another Secret"],
)
def test_every_other_secret_stays_as_it_is(site: Site, secret: dict[str, Any]) -> None:
    assert with_local_access(site, secret) is secret


def test_a_cluster_that_does_not_run_keeps_its_address(site: Site) -> None:
    secret = _secret()
    assert with_local_access(site, secret) is secret

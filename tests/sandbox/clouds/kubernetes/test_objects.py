"""Which clusters serve the Kubernetes API where."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers, cluster_at, is_simulated, scope_of
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

NAME = "gke-0a-1.us-central1.gke.sandbox.invalid"
GKE = Entry(
    provider="gcp",
    scope="p",
    type="gcp:container/cluster:Cluster",
    id="c",
    name="c",
    urn="u",
    inputs={},
    outputs={"endpoint": "203.0.113.7", "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": NAME}}},
)


def test_a_gke_cluster_is_reached_by_address_and_by_name_and_keeps_its_objects_in_one_place(ledger: Ledger) -> None:
    ledger.put(GKE)
    assert api_servers(GKE) == ["https://203.0.113.7", f"https://{NAME}"]
    for server in api_servers(GKE):
        assert cluster_at(ledger, server) == GKE
        assert scope_of(ledger, server) == "https://203.0.113.7"


def test_an_address_without_a_cluster_is_its_own_place(ledger: Ledger) -> None:
    assert cluster_at(ledger, "https://203.0.113.8") is None
    assert scope_of(ledger, "https://203.0.113.8") == "https://203.0.113.8"


def test_what_is_no_cluster_serves_no_api() -> None:
    vpc = Entry(
        provider="aws",
        scope="r",
        type="aws:ec2/vpc:Vpc",
        id="v",
        name="",
        urn="u",
        inputs={},
        outputs={"endpoint": "x"},
    )
    assert api_servers(vpc) == []


@pytest.mark.parametrize(
    ("server", "simulated"),
    [
        ("https://203.0.113.7", True),
        (f"https://{NAME}", True),
        ("https://34.1.2.3", False),
        ("https://sandbox.invalid.example.com", False),
        ("https://203.0.114.7", False),
    ],
)
def test_only_addresses_that_lead_nowhere_are_simulated(server: str, simulated: bool) -> None:
    assert is_simulated(server) is simulated


def test_a_kubeconfig_of_a_real_address_is_not_followed(ledger: Ledger) -> None:
    config = {
        "kubeconfig": {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://34.1.2.3"}}],
        }
    }
    assert "https://34.1.2.3" in Kubernetes().configure(config, ledger).remark

"""Which login a kubeconfig of GKE uses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.components.gcp.control_plane import kubeconfig


def plugin(text: str) -> Any:
    [user] = json.loads(text)["users"]
    return user["user"]["exec"]


def test_up_uses_the_login_of_its_provider_and_everybody_else_that_of_gcloud() -> None:
    up = plugin(kubeconfig("trial", "10.0.0.2", "Q0E=", as_provider=True))
    others = plugin(kubeconfig("trial", "10.0.0.2", "Q0E="))
    assert up.pop("args") == ["--use_application_default_credentials=true"]
    assert up == others
    assert others == {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "provideClusterInfo": True,
        "interactiveMode": "Never",
    }


@pytest.mark.parametrize("certificate", ["Q0E=", None])
def test_a_name_has_no_certificate_of_its_own(certificate: str | None) -> None:
    [cluster] = json.loads(kubeconfig("trial", "gke.example", certificate))["clusters"]
    assert cluster["cluster"]["server"] == "https://gke.example"
    assert cluster["cluster"].get("certificate-authority-data") == certificate

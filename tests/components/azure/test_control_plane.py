"""The kubeconfig: the address that AKS gives, and no credential."""

from __future__ import annotations

import base64
import json

import yaml

from gpucluster.components.azure.control_plane import kubeconfig

GIVEN = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [
        {"name": "trial", "cluster": {"server": "https://trial.example:443", "certificate-authority-data": "Y2VydA=="}}
    ],
    "users": [{"name": "clusterUser_group_trial", "user": {"token": "secret", "client-key-data": "secret"}}],
}


def test_only_address_and_certificate_are_taken_and_kubelogin_gives_a_token_at_each_use() -> None:
    text = kubeconfig("trial", base64.b64encode(yaml.safe_dump(GIVEN).encode()).decode())
    assert "secret" not in text
    made = json.loads(text)
    assert made["clusters"] == GIVEN["clusters"]
    assert made["current-context"] == "trial"
    assert made["users"] == [
        {
            "name": "trial",
            "user": {
                "exec": {
                    "apiVersion": "client.authentication.k8s.io/v1beta1",
                    "command": "kubelogin",
                    "args": ["get-token", "--login", "azurecli", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"],
                    "provideClusterInfo": False,
                    "interactiveMode": "Never",
                }
            },
        }
    ]

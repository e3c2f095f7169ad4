"""The kubeconfig of the cluster, without a credential."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

import yaml

# The server application of every AKS cluster in Microsoft Entra.
# Source: Azure/kubelogin, docs/book/src/concepts/aks.md.
_SERVER = "6dae42f8-4368-4678-94ff-3960e28e3630"


def kubeconfig(cluster: str, given: str) -> str:
    """A kubeconfig as JSON, which is valid YAML. `kubelogin` gets a token at each use.

    given: AKS' kubeconfig for users, in base 64. Only address and certificate are used: it would open a browser for
    login, while `up` uses the login of the Azure CLI or, by AAD_LOGIN_METHOD, another one.
    """
    found = cast(Mapping[str, Any], yaml.safe_load(base64.b64decode(given)))
    server = cast(Mapping[str, str], found["clusters"][0]["cluster"])
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": cluster,
            "clusters": [
                {
                    "name": cluster,
                    "cluster": {key: server[key] for key in ("server", "certificate-authority-data")},
                }
            ],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "users": [
                {
                    "name": cluster,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "kubelogin",
                            "args": ["get-token", "--login", "azurecli", "--server-id", _SERVER],
                            "provideClusterInfo": False,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

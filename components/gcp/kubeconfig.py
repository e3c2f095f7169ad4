"""The kubeconfig of the cluster, without a credential."""

from __future__ import annotations

import json


def kubeconfig(cluster: str, endpoint: str, certificate: str | None) -> str:
    """A kubeconfig as JSON, which is valid YAML. `gke-gcloud-auth-plugin` gets a token at each use.

    endpoint: address or name of the API. certificate: of its CA, in base64; None for the DNS name, which has a publicly
    trusted certificate.
    """
    authority = {} if certificate is None else {"certificate-authority-data": certificate}
    server = {"server": f"https://{endpoint}", **authority}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": cluster,
            "clusters": [{"name": cluster, "cluster": server}],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "users": [
                {
                    "name": cluster,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "gke-gcloud-auth-plugin",
                            "provideClusterInfo": True,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

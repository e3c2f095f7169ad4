"""The kubeconfig of the cluster, without a credential."""

from __future__ import annotations

import json

# Source: kubernetes/cloud-provider-gcp, cmd/gke-gcloud-auth-plugin/cred.go: by default it asks gcloud for a token.
_DEFAULT_CREDENTIALS = "--use_application_default_credentials=true"


def kubeconfig(cluster: str, endpoint: str, certificate: str | None, *, as_provider: bool = False) -> str:
    """A kubeconfig as JSON, which is valid YAML. `gke-gcloud-auth-plugin` gets a token at each use.

    endpoint: address or name of the API. certificate: of its CA, in base64; None for the DNS name, which has a publicly
    trusted certificate. as_provider: with the application default credentials, as Pulumi's provider for Google Cloud,
    instead of gcloud's account.
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
                            **({"args": [_DEFAULT_CREDENTIALS]} if as_provider else {}),
                            "provideClusterInfo": True,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

"""Access of a live cluster's programs to another live cluster, as the manager of a fleet has it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.api_server.server import running_server
from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
from gpucluster.sandbox.clouds.kubernetes.objects import account_of_token, cluster_at, scope_of
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.controllers import Site, impersonated

SECRET: Final = "kubernetes:core/v1:Secret"
_KEY: Final = "kubeconfig"


def with_local_access(site: Site, secret: Mapping[str, Any]) -> Mapping[str, Any]:
    """A Secret whose kubeconfig has the local address of a simulated cluster, if that runs here; else unchanged.

    The simulated token becomes the service account that it names, with only its permissions.
    """
    texts = mapping(plain(secret.get("stringData")))
    try:
        document = json.loads(str(texts.get(_KEY)))
        address = document["clusters"][0]["cluster"]["server"]
        account = account_of_token(document["users"][0]["user"]["token"])
    except (ValueError, KeyError, IndexError, TypeError):
        return secret
    if cluster_at(site.ledger, address) is None:
        return secret
    server = running_server(server_folder(site.server.folder.parent, scope_of(site.ledger, address)))
    if server is None:
        return secret
    # Kueue accepts no certificate in a file.
    bundle = base64.b64encode(server.authority.read_bytes()).decode()
    document["clusters"][0]["cluster"] = {"server": server.url, "certificate-authority-data": bundle}
    name = account.removeprefix("system:serviceaccount:")
    document["users"][0]["user"] = {"token": server.token, **impersonated(name)}
    return {**secret, "stringData": {**texts, _KEY: json.dumps(document)}}

"""The environment of one cluster's controllers: its server, its ledger, a folder, their programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.keeper import free_port
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.live.programs import find_program

PORTS: Final = "ports.json"


@dataclass(frozen=True, kw_only=True)
class Site:
    """scope: the address of the cluster, which identifies its objects in the ledger. folder: for logs and
    configuration. say: prints a line for the user.
    """

    server: Server
    client: Client
    ledger: Ledger
    scope: str
    folder: Path
    say: Say

    def kubeconfig(self, account: str | None = None) -> Path:
        """The kubeconfig of a program that acts as a service account, `namespace:name`, with only its permissions.

        account: also a user of Kubernetes' own, such as `system:kube-scheduler`. None: the administrator.
        """
        document = self.server.kubeconfig()
        if account is not None:
            document["users"][0]["user"] |= _as(account)
        file = self.folder / f"{(account or 'administrator').replace(':', '.')}.kubeconfig"
        text = json.dumps(document)
        # Running programs read it again.
        if not file.exists() or file.read_text() != text:
            file.touch(mode=0o600)
            file.write_text(text)
        return file

    def program(self, name: str) -> Path:
        """The program, built if missing. Raises EngineError."""
        return find_program(name, self.say)

    def port(self, kept: str = "") -> int:
        """An unused port; with a name, the same one until the cluster is restarted."""
        file = self.folder / PORTS
        there: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
        if kept and kept in there:
            return there[kept]
        port = free_port()
        if kept:
            file.write_text(json.dumps({**there, kept: port}))
        return port


def _as(account: str) -> dict[str, Any]:
    """The API server's identity of a service account (kubernetes v1.36.3,
    staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go).
    """
    if account.startswith("system:"):
        return {"as": account, "as-groups": ["system:authenticated"]}
    namespace = account.partition(":")[0]
    return {
        "as": f"system:serviceaccount:{account}",
        "as-groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
    }

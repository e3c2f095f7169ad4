"""What the controllers of one cluster are started with: its server, its ledger, a folder, their programs."""

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
    """scope: the address of the cluster, under which the ledger keeps its objects. folder: for logs and configuration.

    say: takes a line for the user.
    """

    server: Server
    client: Client
    ledger: Ledger
    scope: str
    folder: Path
    say: Say

    def kubeconfig(self, account: str | None = None) -> Path:
        """The file by which a program acts as a service account, `namespace:name`, with its rights and no others.

        Or as a user of Kubernetes' own, such as `system:kube-scheduler`. None: as the administrator.
        """
        document = self.server.kubeconfig()
        if account is not None:
            document["users"][0]["user"] |= _as(account)
        file = self.folder / f"{(account or 'administrator').replace(':', '.')}.kubeconfig"
        text = json.dumps(document)
        # Programs that run read it again.
        if not file.exists() or file.read_text() != text:
            file.touch(mode=0o600)
            file.write_text(text)
        return file

    def program(self, name: str) -> Path:
        """Built first where it is not there. Raises EngineError."""
        return find_program(name, self.say)

    def port(self, kept: str = "") -> int:
        """One that nobody uses now; under a name, the same one until the cluster is started anew."""
        file = self.folder / PORTS
        there: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
        if kept and kept in there:
            return there[kept]
        port = free_port()
        if kept:
            file.write_text(json.dumps({**there, kept: port}))
        return port


def _as(account: str) -> dict[str, Any]:
    """What the API server holds a service account to be (kubernetes v1.36.3, staging/src/k8s.io/apiserver/pkg/
    authentication/serviceaccount/util.go).
    """
    if account.startswith("system:"):
        return {"as": account, "as-groups": ["system:authenticated"]}
    namespace = account.partition(":")[0]
    return {
        "as": f"system:serviceaccount:{account}",
        "as-groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
    }

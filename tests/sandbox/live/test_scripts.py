"""A Deployment whose program is a file of its ConfigMap, as a program that runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.live.controllers import Site, scripts

FILES = {"program.py": "print()", "settings.json": "{}"}


def deployment(*command: str) -> dict[str, Any]:
    container = {"name": "a", "command": [*command], "volumeMounts": [{"name": "files", "mountPath": "/etc/watch"}]}
    volumes = [{"name": "files", "configMap": {"name": "watch"}}]
    pod = {"serviceAccountName": "watcher", "containers": [container], "volumes": volumes}
    return {"metadata": {"name": "watch", "namespace": "here"}, "spec": {"template": {"spec": pod}}}


def site_with(tmp_path: Path, *command: str) -> Site:
    (tmp_path / "apiserver.crt").write_text("certificate")
    ledger = Ledger(tmp_path / "ledger")
    objects = {
        "kubernetes:apps/v1:Deployment": deployment(*command),
        "kubernetes:core/v1:ConfigMap": {"metadata": {"name": "watch", "namespace": "here"}, "data": FILES},
    }
    for type_, inputs in objects.items():
        ledger.put(
            Entry(
                provider="kubernetes",
                scope="there",
                type=type_,
                id="here/watch",
                name="watch",
                urn=f"urn:{type_}",
                inputs=inputs,
                outputs=inputs,
            )
        )
    server = Server(
        url="https://127.0.0.1:1", token="secret", authority=tmp_path / "apiserver.crt", folder=tmp_path, living=True
    )
    return Site(server=server, client=Client.__new__(Client), ledger=ledger, scope="there", folder=tmp_path, say=print)


def test_its_files_are_where_its_arguments_say_and_it_has_the_rights_of_its_account(tmp_path: Path) -> None:
    site = site_with(tmp_path, "python3", "-u", "/etc/watch/program.py", "--settings", "/etc/watch/settings.json")

    [found] = scripts(site)
    program, settings = Path(found.command[2]), Path(found.command[4])
    assert (found.name, found.command[:2], found.command[3]) == ("watch", [sys.executable, "-u"], "--settings")
    assert (program.read_text(), settings.read_text()) == ("print()", "{}")
    administrator, own = site.kubeconfig().read_text(), Path(found.environment["KUBECONFIG"]).read_text()
    identity = '"as": "system:serviceaccount:here:watcher"'
    assert (identity in own, '"as"' in administrator) == (True, False)


def test_a_program_of_an_image_does_not_run(tmp_path: Path) -> None:
    assert scripts(site_with(tmp_path, "/manager")) == []

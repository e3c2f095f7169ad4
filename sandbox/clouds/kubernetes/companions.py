"""The interface of the programs beside a live cluster's API server, for the simulated clouds."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Protocol

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import Source, Unavailable, definitions_of, source_of
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.kubernetes import aks, gke
from gpucluster.sandbox.clouds.kubernetes.definitions import is_in_tables, kinds_of_release, known_chart
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain


class Companion(Protocol):
    """The controllers of one cluster. All methods raise EngineError if a program fails."""

    def install(self, release: Mapping[str, Any]) -> None:
        """Runs the controllers of a Helm release, or restarts them. release: its inputs."""
        ...

    def remove(self, release: Mapping[str, Any]) -> None:
        """Stops the controllers of a Helm release."""
        ...

    def local(self, token: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """An object as controllers here need it: with the local address of another live cluster. token: its type."""
        ...

    def settle(self) -> Sequence[str]:
        """Updates nodes and controllers to the current ledger; returns notices for the user, in lines."""
        ...


class Companions(Protocol):
    """The controllers of every cluster of a run."""

    def wanted(self, folder: Path) -> bool:
        """Whether the cluster with its server's files in `folder` is live."""
        ...

    def open(self, server: Server, client: Client, ledger: Ledger, scope: str) -> AbstractContextManager[Companion]:
        """The controllers of one cluster, started if needed. Raises EngineError."""
        ...


_FILE: Final = "defined.json"


class Installed:
    """The installed kinds of one server, which persist between its starts."""

    def __init__(self, server: Server, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._file = server.folder / _FILE
        self._there: dict[str, str] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def of_cloud(self, cluster: Entry | None) -> None:
        """Installs the kinds and namespaces of a cluster's cloud. Raises CloudError."""
        of_gke = gke.kinds_of(cluster)
        of_clouds = {"aks": aks.kinds_of(cluster)} | dict.fromkeys(("gke", "gke-autoscaler", "gke-prometheus"), of_gke)
        for cloud, kinds in of_clouds.items():
            if kinds:
                self._define(cloud, "", kinds)
        for name in sorted(gke.namespaces_of(cluster)):
            self._client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for document in gke.warden_of(cluster):
            self._client.apply(document)

    def of_release(self, release: Mapping[str, Any]) -> None:
        """Installs the kinds of a Helm release. release: its inputs. Raises CloudError."""
        values = mapping(plain(release))
        chart = known_chart(values)
        kinds = kinds_of_release(values) if is_in_tables(chart) else None
        self._define(chart, str(values.get("version") or ""), kinds)

    def _define(self, brought_by: str, version: str, kinds: frozenset[str] | None) -> None:
        """kinds: only these, as `group:kind`; None for all."""
        source = source_of(brought_by, version)
        if source is None:
            return
        mark = _mark(source, kinds)
        try:
            found = [item for item in definitions_of(source) if kinds is None or _defined(item) in kinds]
            self._client.define(found, there=self._there.get(brought_by) == mark)
        except Unavailable:
            return  # Reported at the start of the run; its kinds are unchecked.
        except ObjectRefused as refusal:
            raise CloudError(f"the API server refuses a definition of {brought_by} {version}: {refusal}") from refusal
        with self._lock:
            self._there[brought_by] = mark
            self._file.write_text(json.dumps(self._there))


def _mark(source: Source, kinds: frozenset[str] | None) -> str:
    return f"{source.sum} {' '.join(source.files)} {' '.join(sorted(kinds)) if kinds is not None else 'all'}"


def _defined(definition: Mapping[str, Any]) -> str:
    spec = mapping(definition.get("spec"))
    return f"{spec.get('group')}:{mapping(spec.get('names')).get('kind')}"

"""Clusters whose objects a real API server validates and stores, in addition to the ledger.

The ledger remains authoritative: objects that the server lacks, or has in an older form, are applied when the server is
opened. Kinds without a definition in the server are judged by the simulation's own rules.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.sandbox.api_server.binaries import Binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.server import Server, in_use, open_server
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.companions import Companion, Companions, Installed
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, all_clusters, api_servers, cluster_at, live, object_id
from gpucluster.sandbox.clouds.kubernetes.verdict import Outcome, Verdict
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN, plain, to_wire
from gpucluster.sandbox.engine.engine import EngineError

_APPLIED: Final = "applied.json"


def server_folder(root: Path, scope: str) -> Path:
    """The folder of a cluster's API server; short, and safe as a name."""
    return root / hashlib.sha256(scope.encode()).hexdigest()[:12]


class RealServers:
    """The API servers of one run, one for each cluster in use, opened at first use."""

    def __init__(self, root: Path, binaries: Binaries, ledger: Ledger, companions: Companions | None = None) -> None:
        """companions: the controllers of live clusters."""
        self.verdict = Verdict()
        self._companions = companions
        self._root = root
        self._binaries = binaries
        self._ledger = ledger
        self._open: dict[str, RealServer] = {}
        self._lock = threading.Lock()
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()
        self._sweep()

    def settle(self) -> list[str]:
        """Updates the controllers and nodes of live clusters to the ledger; returns notices for the user.

        Raises EngineError.
        """
        companions = [server.companion for server in self._open.values() if server.companion is not None]
        return [line for companion in companions for line in companion.settle()]

    def at(self, scope: str) -> RealServer:
        """The server of the cluster with this scope, with all its objects in the ledger.

        Raises CloudError if it does not start.
        """
        with self._lock:
            if scope not in self._open:
                try:
                    self._open[scope] = self._opened(scope)
                except EngineError as error:
                    raise CloudError(str(error)) from error
            return self._open[scope]

    def _opened(self, scope: str) -> RealServer:
        """Raises EngineError."""
        folder = server_folder(self._root, scope)
        companions = self._companions if self._companions and self._companions.wanted(folder) else None
        server = self._closing.enter_context(open_server(folder, self._binaries, living=companions is not None))
        opened = RealServer(server, self.verdict)
        opened.define_all(self._ledger, scope)
        if companions is not None:
            # Before the objects: the controllers' webhooks validate them.
            companion = companions.open(server, opened.client, self._ledger, scope)
            opened.companion = self._closing.enter_context(companion)
        opened.catch_up(self._ledger, scope)
        return opened

    def _sweep(self) -> None:
        """Removes the files of deleted clusters."""
        there = {server_folder(self._root, api_servers(entry)[0]).name for entry in all_clusters(self._ledger)}
        for folder in self._root.iterdir() if self._root.is_dir() else ():
            if folder.name not in there and not in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)


class RealServer:
    """One API server and its applied objects."""

    def __init__(self, server: Server, verdict: Verdict) -> None:
        self.client = Client(server)
        self.companion: Companion | None = None
        self._installed = Installed(server, self.client)
        self._server = server
        self._verdict = verdict
        self._file = server.folder / _APPLIED
        self._applied: dict[str, str] = _read(self._file)
        self._lock = threading.Lock()

    def write_kubeconfig(self) -> Path:
        """The kubeconfig for kubectl."""
        file = self._server.folder / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(json.dumps(self._server.kubeconfig()))
        return file

    @property
    def server(self) -> Server:
        """The connection to the server."""
        return self._server

    def define_all(self, ledger: Ledger, scope: str) -> None:
        """Installs the kinds of this cluster."""
        self._installed.of_cloud(cluster_at(ledger, scope))
        for entry in ledger.find("kubernetes", scope, RELEASE):
            self._installed.of_release(entry.inputs)

    def catch_up(self, ledger: Ledger, scope: str) -> None:
        """Applies the ledger's objects of this scope."""
        entries = ledger.of_scope(scope)
        there = {_key(entry.type, entry.id): entry for entry in entries if entry.type != RELEASE}
        for key in sorted({*self._applied} - {*there}):
            token, _, id_ = key.partition("|")
            self._delete(token, id_)
        for key, entry in there.items():
            inputs = self._local(entry.type, entry.inputs)
            document, digest = _document(entry.type, inputs), _digest(inputs)
            if self._applied.get(key) == digest or not self.client.knows(document["apiVersion"], document["kind"]):
                continue
            try:
                self._put(entry.type, document, digest)
            except CloudError as refusal:
                self._verdict.record_refusal(entry.type, entry.id, str(refusal))

    def install(self, release: Mapping[str, Any]) -> None:
        """Installs the definitions of a Helm release, and runs its controllers in a live cluster.

        release: its inputs. Raises CloudError.
        """
        self._installed.of_release(release)
        if self.companion is not None:
            try:
                self.companion.install(release)
            except EngineError as error:
                raise CloudError(str(error)) from error

    def remove(self, release: Mapping[str, Any]) -> None:
        """Stops the controllers of a Helm release. Its definitions stay, and with them their objects."""
        if self.companion is not None:
            self.companion.remove(release)

    def apply(self, token: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The object as stored by the server; None for an unknown kind. Raises CloudError."""
        inputs = self._local(token, inputs)
        document = _document(token, inputs)
        id_ = object_id(document)
        if not self.client.knows(document["apiVersion"], document["kind"]):
            self._verdict.record(token, id_, Outcome.UNCHECKED)
            return None
        try:
            kept = self._put(token, document, _digest(inputs))
        except CloudError:
            self._verdict.record(token, id_, Outcome.REFUSED)
            raise
        self._verdict.record(token, id_, Outcome.ACCEPTED)
        return kept

    def _local(self, token: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        return inputs if self.companion is None else self.companion.local(token, inputs)

    def _put(self, token: str, document: Mapping[str, Any], digest: str) -> Mapping[str, Any]:
        id_ = object_id(document)
        try:
            kept = self.client.apply(document)
        except ObjectRefused as refusal:
            # The real provider's text (pulumi/pulumi-kubernetes, provider/pkg/provider/provider.go).
            raise CloudError(
                f'resource "{id_}" was not successfully created by the Kubernetes API server: {refusal}'
            ) from refusal
        self._note(_key(token, id_), digest)
        return kept

    def rehearse(self, token: str, inputs: Mapping[str, Any]) -> None:
        """Raises CloudError if the server would refuse; postponed if that is not yet known."""
        document = _document(token, inputs)
        id_ = object_id(document)
        if _unknown_in(inputs) or not self.client.knows(document["apiVersion"], document["kind"]):
            self._verdict.record(token, id_, Outcome.POSTPONED)
            return
        try:
            self.client.apply(document, dry_run=True)
        except ObjectRefused as refusal:
            if refusal.reason == "NotFound":  # Its namespace, which the same plan may create.
                self._verdict.record(token, id_, Outcome.POSTPONED)
                return
            self._verdict.record(token, id_, Outcome.REFUSED)
            raise CloudError(f'"{id_}" would be refused by the API server: {refusal}') from refusal
        self._verdict.record(token, id_, Outcome.ACCEPTED)

    def delete(self, entry: Entry) -> None:
        """Raises CloudError if the server refuses."""
        self._delete(entry.type, entry.id)

    def _delete(self, token: str, id_: str) -> None:
        namespace, _, name = id_.rpartition("/")
        document = _document(token, {"metadata": {"name": name, "namespace": namespace or None}})
        if self.client.knows(document["apiVersion"], document["kind"]):
            try:
                self.client.delete(document)
            except ObjectRefused as refusal:
                raise CloudError(f'resource "{id_}" was not deleted: {refusal}') from refusal
        self._note(_key(token, id_), None)
        if token == "kubernetes:core/v1:Namespace":
            for key in [key for key in self._applied if key.partition("|")[2].startswith(f"{id_}/")]:
                self._note(key, None)

    def _note(self, key: str, digest: str | None) -> None:
        with self._lock:
            if digest is None:
                self._applied.pop(key, None)
            else:
                self._applied[key] = digest
            scratch = self._file.with_suffix(".new")
            scratch.write_text(json.dumps(self._applied))
            scratch.replace(self._file)


class RealCluster(Cluster):
    """The API server of one cluster, with a real one that validates."""

    invents = False

    def __init__(self, ledger: Ledger, server: str, config: Mapping[str, Any], servers: RealServers) -> None:
        super().__init__(ledger, server, config)
        self._real = servers.at(server)
        self._verdict = servers.verdict

    def accept(self, resource: Resource) -> dict[str, Any]:
        if resource.token == RELEASE:
            outputs = super().accept(resource)
            self._real.install(resource.inputs)
            self._verdict.record(resource.token, object_id(resource.inputs), Outcome.SIMULATED)
            return outputs
        kept = self._real.apply(resource.token, resource.inputs)
        if kept is None:
            return super().accept(resource)
        given = {key: value for key, value in mapping(kept.get("metadata")).items() if key != "managedFields"}
        return {**live(resource), "metadata": {**mapping(resource.inputs.get("metadata")), **given}}

    def rehearse(self, resource: Resource) -> None:
        if resource.token != RELEASE:
            self._real.rehearse(resource.token, resource.inputs)

    def delete(self, entry: Entry) -> bool:
        gone = super().delete(entry)
        if gone and entry.type == RELEASE:
            self._real.remove(entry.inputs)
        elif gone:
            self._real.delete(entry)
        return gone


def _key(token: str, id_: str) -> str:
    return f"{token}|{id_}"


def _document(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The object in Kubernetes' form; the SDK's group `core` is the one without a name, and its kinds that end in Patch
    are applied to another owner's object.
    """
    group_version, kind = token.removeprefix("kubernetes:").rsplit(":", 1)
    api_version = group_version.removeprefix("core/")
    return {**plain(inputs), "apiVersion": api_version, "kind": kind.removesuffix("Patch")}


def _digest(inputs: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(to_wire(plain(inputs)), sort_keys=True).encode()).hexdigest()


def _read(file: Path) -> dict[str, str]:
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return {}


def _unknown_in(value: Any) -> bool:
    value = plain(value)
    if is_object(value):
        return any(map(_unknown_in, value.values()))
    if is_list(value):
        return any(map(_unknown_in, value))
    return value is UNKNOWN

"""The sandbox's client of an API server: apply, read, delete; over plain HTTPS."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.errors import Error
from gpucluster.sandbox.api_server.server import Server

FIELD_MANAGER: Final = "pulumi-kubernetes"
"""Owner of the fields we set, the name of the real provider (pulumi/pulumi-kubernetes, provider/pkg/ssa)."""

_JSON: Final = "application/json"
_READY_SECONDS: Final = 120.0
"""Time that the server may need for a new kind, on a busy machine."""
_TIMEOUT_SECONDS: Final = 60.0


class ObjectRefused(Error):
    """The server's own message for a refused request. code, reason: of its Status."""

    def __init__(self, code: int, status: Mapping[str, Any]) -> None:
        super().__init__(str(status.get("message") or f"HTTP status {code}"))
        self.code = code
        self.reason = str(status.get("reason") or "")


@dataclass(frozen=True)
class _Kind:
    plural: str
    namespaced: bool


class Client:
    """The client of one server; several threads may use it at once."""

    def __init__(self, server: Server) -> None:
        self._living = server.living
        self._host = urlsplit(server.url).netloc
        self._headers = {"Authorization": f"Bearer {server.token}", "Accept": _JSON}
        self._trust = ssl.create_default_context(cafile=str(server.authority))
        self._local = threading.local()
        self._kinds: dict[tuple[str, str], _Kind] = {}

    def knows(self, api_version: str, kind: str) -> bool:
        """Whether the server serves this kind."""
        return self._kind(api_version, kind) is not None

    def apply(self, document: Mapping[str, Any], *, dry_run: bool = False) -> Mapping[str, Any]:
        """Server-side apply; returns the resulting object. Raises ObjectRefused."""
        options = {"fieldManager": FIELD_MANAGER, "force": "true", **({"dryRun": "All"} if dry_run else {})}
        path = f"{self._path(document)}?{urlencode(options)}"
        # JSON is YAML.
        return self._ask("PATCH", path, document, "application/apply-patch+yaml")

    def get(self, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The object with the kind, namespace and name of `document`, None if there is none."""
        try:
            return self._ask("GET", self._path(document))
        except ObjectRefused as refusal:
            if refusal.code == http.HTTPStatus.NOT_FOUND:
                return None
            raise

    def list(
        self, api_version: str, kind: str, *, namespace: str | None = None, labels: str = ""
    ) -> Sequence[Mapping[str, Any]]:
        """The objects of a kind, by default of all namespaces. labels: a selector. Raises ObjectRefused."""
        found = self._known(api_version, kind)
        inside = f"/namespaces/{quote(namespace)}" if namespace is not None and found.namespaced else ""
        query = f"?{urlencode({'labelSelector': labels})}" if labels else ""
        listed = self._ask("GET", f"{_group(api_version)}{inside}/{found.plural}{query}")
        return [{"apiVersion": api_version, "kind": kind, **mapping(item)} for item in items(listed.get("items"))]

    def create(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Creates the object, with its status if the server accepts one; returns the result. Raises ObjectRefused."""
        return self._ask("POST", self._path(document).rpartition("/")[0], document, _JSON)

    def patch(
        self, document: Mapping[str, Any], change: Mapping[str, Any], *, part: str = "", merge: str = "merge"
    ) -> Mapping[str, Any]:
        """Changes the object with the kind, namespace and name of `document`; returns the result. Raises ObjectRefused.

        part: a subresource, such as status. merge: `strategic-merge`, which merges lists of a built-in kind by their
        keys.
        """
        path = self._path(document) + (f"/{part}" if part else "")
        return self._ask("PATCH", path, change, f"application/{merge}-patch+json")

    def evict(self, pod: Mapping[str, Any]) -> None:
        """Requests the eviction of a pod, as a drain does. Raises ObjectRefused."""
        metadata = mapping(pod.get("metadata"))
        whose = {"name": metadata.get("name"), "namespace": metadata.get("namespace")}
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": whose}
        self._ask("POST", f"{self._path({**pod, 'apiVersion': 'v1', 'kind': 'Pod'})}/eviction", eviction, _JSON)

    def delete(self, document: Mapping[str, Any]) -> None:
        """Deletes the object and its dependents, and a namespace with its objects; a missing object is no error.

        Raises ObjectRefused.
        """
        try:
            # By default, a Job would leave its pods behind.
            left = self._ask("DELETE", f"{self._path(document)}?propagationPolicy=Background")
        except ObjectRefused as refusal:
            if refusal.code == http.HTTPStatus.NOT_FOUND:
                return
            raise
        if not self._living and document.get("kind") == "Namespace" and left.get("kind") == "Namespace":
            self._empty(str(mapping(document.get("metadata")).get("name")))
            # As by the controller of namespaces, which does not run here.
            spec: dict[str, Any] = {**mapping(left.get("spec")), "finalizers": None}
            finalized: dict[str, Any] = {**left, "spec": spec}
            self._ask("PUT", f"{self._path(document)}/finalize", finalized, _JSON)

    def define(self, definitions: Iterable[Mapping[str, Any]], *, there: bool = False) -> None:
        """Installs definitions of custom kinds and waits until their objects can be created.

        there: whether they are already installed, in a server that may have just started. Raises ObjectRefused.
        """
        wanted = [*definitions]
        for definition in wanted:
            if not there or self.get(definition) is None:
                self.apply(definition)
        end = time.monotonic() + _READY_SECONDS
        for definition in wanted:
            while not self._established(definition):
                if time.monotonic() > end:
                    name = mapping(definition.get("metadata")).get("name")
                    raise ObjectRefused(0, {"message": f"the definition {name} is not established"})
                time.sleep(0.05)

    def _established(self, definition: Mapping[str, Any]) -> bool:
        there = mapping(self.get(definition))
        conditions = (mapping(item) for item in items(mapping(there.get("status")).get("conditions")))
        if not any(item.get("type") == "Established" and item.get("status") == "True" for item in conditions):
            return False
        spec = mapping(definition.get("spec"))
        served = (str(mapping(item).get("name")) for item in items(spec.get("versions")) if mapping(item).get("served"))
        kind = str(mapping(spec.get("names")).get("kind"))
        return all(self.knows(f"{spec.get('group')}/{version}", kind) for version in served)

    def _empty(self, namespace: str) -> None:
        for (api_version, kind), found in self._all_kinds().items():
            if not found.namespaced:
                continue
            listed = self._ask("GET", f"{_group(api_version)}/namespaces/{quote(namespace)}/{found.plural}")
            for item in items(listed.get("items")):
                self.delete({"apiVersion": api_version, "kind": kind, "metadata": mapping(item).get("metadata")})

    def _all_kinds(self) -> dict[tuple[str, str], _Kind]:
        """The kinds that can be listed and deleted, in the preferred version of each group."""
        groups = items(self._ask("GET", "/apis").get("groups"))
        versions = [
            "v1",
            *(str(mapping(mapping(group).get("preferredVersion")).get("groupVersion")) for group in groups),
        ]
        found: dict[tuple[str, str], _Kind] = {}
        for version in versions:
            for item in items(self._ask("GET", _group(version)).get("resources")):
                if {"list", "delete"} <= {*items(mapping(item).get("verbs"))} and "/" not in str(item.get("name")):
                    found[version, str(item["kind"])] = _Kind(str(item["name"]), bool(item["namespaced"]))
        return found

    def _kind(self, api_version: str, kind: str) -> _Kind | None:
        if (api_version, kind) not in self._kinds:
            try:
                listed = items(self._ask("GET", _group(api_version)).get("resources"))
            except ObjectRefused:
                return None
            for item in map(mapping, listed):
                if "/" not in str(item.get("name")):
                    self._kinds[api_version, str(item["kind"])] = _Kind(str(item["name"]), bool(item["namespaced"]))
        return self._kinds.get((api_version, kind))

    def _known(self, api_version: str, kind: str) -> _Kind:
        found = self._kind(api_version, kind)
        if found is None:
            raise ObjectRefused(0, {"message": f'no matches for kind "{kind}" in version "{api_version}"'})
        return found

    def _path(self, document: Mapping[str, Any]) -> str:
        api_version = str(document.get("apiVersion"))
        found = self._known(api_version, str(document.get("kind")))
        metadata = mapping(document.get("metadata"))
        inside = f"/namespaces/{quote(str(metadata.get('namespace') or 'default'))}" if found.namespaced else ""
        return f"{_group(api_version)}{inside}/{found.plural}/{quote(str(metadata.get('name')))}"

    def _ask(self, verb: str, path: str, body: Mapping[str, Any] | None = None, form: str = "") -> Mapping[str, Any]:
        headers = {**self._headers, **({"Content-Type": form} if form else {})}
        text = None if body is None else json.dumps(body)
        end = time.monotonic() + _READY_SECONDS
        while True:
            status, content = self._exchange(verb, path, text, headers)
            # The storage of a new kind is not ready yet.
            if status != http.HTTPStatus.TOO_MANY_REQUESTS or time.monotonic() > end:
                break
            time.sleep(0.1)
        try:
            document: Mapping[str, Any] = mapping(json.loads(content))
        except ValueError:
            document = {"message": content.decode(errors="replace").strip()}
        if status >= http.HTTPStatus.BAD_REQUEST:
            raise ObjectRefused(status, document)
        return document

    def _exchange(self, verb: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        connection = self._connection()
        for kept_open in (True, False):
            try:
                connection.request(verb, path, body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                # The next request opens a new one: the server closes idle connections.
                connection.close()
                if not kept_open:
                    raise ObjectRefused(0, {"message": f"the API server does not answer: {error}"}) from error
        raise AssertionError("the second attempt returns or raises")

    def _connection(self) -> http.client.HTTPSConnection:
        """An open connection for each thread."""
        found: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if found is None:
            found = http.client.HTTPSConnection(self._host, context=self._trust, timeout=_TIMEOUT_SECONDS)
            self._local.connection = found
        return found


def _group(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"

"""A loopback server of Google's APIs, made from the discovery documents that the SDK bundles.

It refuses a request whose path, method, parameter or field the documents do not have, and an answer that they do not
allow: a test cannot pass by an answer that Google would not give.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import googleapiclient
import requests
from google.cloud.location.locations_pb2 import ListLocationsResponse
from google.protobuf.json_format import ParseDict
from requests.adapters import HTTPAdapter

DOCUMENTS: Final = (
    "cloudasset.v1",
    "cloudbilling.v1",
    "cloudkms.v1",
    "cloudresourcemanager.v3",
    "compute.v1",
    "container.v1",
    "monitoring.v3",
    "oauth2.v2",
    "orgpolicy.v2",
    "serviceusage.v1",
    "serviceusage.v1beta1",
)
_BUNDLED: Final = Path(googleapiclient.__file__).parent / "discovery_cache/documents"
READS_BY_POST: Final = frozenset(
    {
        "cloudresourcemanager.projects.testIamPermissions",
        "compute.advice.capacity",
        "compute.advice.calendarMode",
        "token",
    }
)


class NotInTheDocument(AssertionError):
    """A request or an answer that Google does not have."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """id: of the method. given: its parameters. verb: of HTTP."""

    id: str
    verb: str
    given: Mapping[str, Any]
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Refused(Exception):
    """An answer of an error. reason, metadata: of its ErrorInfo. body: all of it, if it is of another form."""

    def __init__(self, code: int, message: str = "", *, reason: str = "", body: Any = None, **metadata: str) -> None:
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": metadata}
        error = {"code": code, "message": message, **({"details": [info]} if reason else {})}
        self.code, self.body = code, body if body is not None else {"error": error}


def api_off(service: str, project: str = "my-project") -> Refused:
    """As Google answers for an API that is not enabled."""
    message = (
        f"{service} has not been used in project {project} before or it is disabled. Enable it by visiting a page."
    )
    return Refused(403, message, reason="SERVICE_DISABLED", service=service, consumer=f"projects/{project}")


Answers = dict[str, Callable[[Call], Any]]
"""Id of a method -> its answer; raises Refused."""


@dataclass
class Google:
    """port: on this machine. calls: so far. wrong: what no document has, which fails the test."""

    answers: Answers
    port: int = 0
    calls: list[Call] = field(default_factory=list[Call])
    wrong: list[str] = field(default_factory=list[str])
    slow: threading.Event | None = None

    @property
    def writes(self) -> list[str]:
        return [call.id for call in self.calls if call.verb != "GET" and call.id not in READS_BY_POST]

    def answer(self, verb: str, url: str, headers: Mapping[str, str], content: bytes) -> tuple[int, Any]:
        """Status and body."""
        try:
            call, schema = _call(verb, url, headers, content)
            self.calls.append(call)
            if self.slow is not None:
                self.slow.wait(20)
            found = self.answers[call.id](call)
            if schema is not None:
                _check(*schema, found, call.id)
            if call.id == "lustre.projects.locations.list":
                ParseDict(found, ListLocationsResponse())
        except Refused as refused:
            return refused.code, refused.body
        except Exception as error:
            self.wrong.append(f"{verb} {url}: {type(error).__name__}: {error}")
            return 501, {"error": {"code": 501, "message": f"not in the document: {error}"}}
        return 200, found


@contextmanager
def serving(google: Google) -> Generator[None]:
    """Answers on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, body = google.answer(self.command, self.path, dict(self.headers), content)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the client no longer waits

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _do

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    google.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class Rerouted(HTTPAdapter):
    """Sends every request to the loopback server, its host as the first part of the path."""

    def __init__(self, google: Google) -> None:
        super().__init__()
        self._google = google

    def send(self, request: requests.PreparedRequest, **more: Any) -> requests.Response:  # type: ignore[override]
        parts = urlsplit(str(request.url))
        assert (parts.hostname or "").endswith(".googleapis.com"), request.url
        there = request.copy()
        query = f"?{parts.query}" if parts.query else ""
        there.url = f"http://127.0.0.1:{self._google.port}/{parts.hostname}{parts.path}{query}"
        return super().send(there, **more)


@cache
def _document(name: str) -> dict[str, Any]:
    return json.loads((_BUNDLED / f"{name}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, kw_only=True)
class _Method:
    document: str
    verb: str
    path: re.Pattern[str]
    found: Mapping[str, Any]


@cache
def _methods(host: str) -> list[_Method]:
    """Of all documents with this host."""
    found: list[_Method] = []
    for name in DOCUMENTS:
        document = _document(name)
        if urlsplit(document["rootUrl"]).hostname == host:
            found += [_method(name, document, one) for one in _all(document)]
    return found


def _all(folder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from folder.get("methods", {}).values()
    for one in folder.get("resources", {}).values():
        yield from _all(one)


def _method(name: str, document: Mapping[str, Any], method: Mapping[str, Any]) -> _Method:
    pattern = re.sub(
        r"\\\{(\\\+)?(\w+)\\\}",
        lambda found: f"(?P<{found[2]}>{'.+' if found[1] else '[^/]+'})",
        re.escape("/" + document["servicePath"] + method["path"]),
    )
    return _Method(document=name, verb=method["httpMethod"], path=re.compile(pattern), found=method)


def _call(verb: str, url: str, headers: Mapping[str, str], content: bytes) -> tuple[Call, tuple[str, str] | None]:
    """The call, and the document and schema of its answer."""
    parts = urlsplit(url)
    host, _, path = parts.path.lstrip("/").partition("/")
    query = parse_qs(parts.query, keep_blank_values=True)
    if (host, path) == ("oauth2.googleapis.com", "token"):
        return Call(id="token", verb=verb, given={}, body=content.decode()), None
    if host == "lustre.googleapis.com" and verb == "GET":
        found = re.fullmatch(r"v1/projects/[^/]+/locations(/[^/]+/instances)?", path)
        assert found and not query.keys() - {"pageToken", "pageSize", "filter"}, (path, query)
        id_ = "instances.list" if found[1] else "list"
        return Call(id=f"lustre.projects.locations.{id_}", verb=verb, given=query), None
    # The longest path first: `{+name}` also matches a name that ends in the name of a method.
    for method in sorted(_methods(host), key=lambda one: len(one.path.pattern), reverse=True):
        found = method.path.fullmatch(f"/{path}")
        if found and method.verb == verb and _fits(method, found.groupdict()):
            return _checked(method, found.groupdict(), query, headers, content)
    raise NotInTheDocument(f"no document has {verb} {host}/{path}")


def _fits(method: _Method, given: Mapping[str, str]) -> bool:
    """Whether the parts of the path have the documented form."""
    known = method.found.get("parameters", {})
    return all(re.search(known[name].get("pattern", ""), value) for name, value in given.items())


def _checked(
    method: _Method,
    given: Mapping[str, str],
    query: Mapping[str, list[str]],
    headers: Mapping[str, str],
    content: bytes,
) -> tuple[Call, tuple[str, str] | None]:
    document, known = _document(method.document), method.found.get("parameters", {})
    unknown = query.keys() - known.keys() - document["parameters"].keys()
    if unknown:
        raise NotInTheDocument(f"{method.found['id']} has no parameter {sorted(unknown)}")
    missing = [name for name, one in known.items() if one.get("required") and name not in {*given, *query}]
    if missing:
        raise NotInTheDocument(f"{method.found['id']} needs {missing}")
    for name, values in query.items():
        allowed = known.get(name, {}).get("enum")
        if allowed and not set(values) <= set(allowed):
            raise NotInTheDocument(f"{name} of {method.found['id']} is {values}, not one of {allowed}")
    body = json.loads(content) if content else None
    if ("request" in method.found) != (body is not None):
        raise NotInTheDocument(f"{method.found['id']} with{'out' if body is None else ''} a body")
    if body is not None:
        _check(method.document, method.found["request"]["$ref"], body, "body")
    call = Call(
        id=method.found["id"],
        verb=method.verb,
        given={
            **given,
            **{name: values if known.get(name, {}).get("repeated") else values[0] for name, values in query.items()},
        },
        body=body,
        headers=headers,
    )
    return call, (method.document, method.found["response"]["$ref"])


def _check(document: str, schema: str, value: Any, at: str) -> None:
    _check_value(document, _document(document)["schemas"][schema], value, at)


_KINDS: Final[Mapping[str, Any]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}
_WHOLE: Final = frozenset({"int32", "uint32", "int64", "uint64"})


def _check_value(document: str, schema: Mapping[str, Any], value: Any, at: str) -> None:
    if "$ref" in schema:
        _check(document, schema["$ref"], value, at)
        return
    kind = schema.get("type", "any")
    if kind in _KINDS and (not isinstance(value, _KINDS[kind]) or (kind != "boolean" and isinstance(value, bool))):
        raise NotInTheDocument(f"{at} is {value!r}, not of type {kind}")
    if kind == "string" and schema.get("format") in _WHOLE and not re.fullmatch(r"-?\d+", value):
        raise NotInTheDocument(f"{at} is {value!r}, not a whole number")
    if "enum" in schema and value not in schema["enum"]:
        raise NotInTheDocument(f"{at} is {value!r}, which the document does not list")
    if kind == "array":
        for number, one in enumerate(value):
            _check_value(document, schema["items"], one, f"{at}[{number}]")
    if kind == "object":
        for name, one in value.items():
            inside = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if inside is None:
                raise NotInTheDocument(f"{at} has no {name}")
            _check_value(document, inside, one, f"{at}.{name}")

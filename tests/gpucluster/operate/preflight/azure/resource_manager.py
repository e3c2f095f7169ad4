"""Azure Resource Manager on this machine, made of Microsoft's SDK: it has the operations below and no others, with the
paths, methods and API versions of their request builders, and answers only with fields that their models have.

It speaks TLS with a certificate of its own: the SDK sends tokens over https alone.
"""

from __future__ import annotations

import contextlib
import datetime
import inspect
import ipaddress
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

from azure.mgmt.authorization.v2022_04_01 import operations as authorization
from azure.mgmt.compute import operations as compute
from azure.mgmt.containerservice import operations as kubernetes
from azure.mgmt.network import operations as network
from azure.mgmt.resource.features import operations as features
from azure.mgmt.resource.resources import operations as resources
from azure.mgmt.resource.subscriptions import operations as subscriptions
from azure.mgmt.storagecache import StorageCacheManagementClient
from azure.mgmt.storagecache import operations as lustre
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Json = dict[str, Any]

_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "subscription": subscriptions.SubscriptionsOperations.get,
    "providers": resources.ProvidersOperations.list,
    "resource": resources.ResourcesOperations.get_by_id,
    "resources": resources.ResourcesOperations.list,
    "groups": resources.ResourceGroupsOperations.list,
    "group resources": resources.ResourcesOperations.list_by_resource_group,
    "machines": compute.VirtualMachinesOperations.list_all,
    "disks": compute.DisksOperations.list,
    "file systems": lustre.AmlFilesystemsOperations.list,
    "feature": features.FeaturesOperations.get,
    "usages": compute.UsageOperations.list,
    "skus": compute.ResourceSkusOperations.list,
    "reservation group": compute.CapacityReservationGroupsOperations.get,
    "reservations": compute.CapacityReservationsOperations.list_by_capacity_reservation_group,
    "clusters": kubernetes.ManagedClustersOperations.list,
    "versions": kubernetes.ManagedClustersOperations.list_kubernetes_versions,
    "snapshot": kubernetes.SnapshotsOperations.get,
    "network": network.VirtualNetworksOperations.get,
    "subnet": network.SubnetsOperations.get,
    "gateway": network.NatGatewaysOperations.get,
    "address": network.PublicIPAddressesOperations.get,
    "routes": network.RouteTablesOperations.get,
    "network usages": network.UsagesOperations.list,
    "assignments": authorization.RoleAssignmentsOperations.list_for_scope,
    "permissions": authorization.PermissionsOperations.list_for_resource_group,
    "tiers": lustre.SkusOperations.list,
    "file system usages": lustre.AscUsagesOperations.list,
    "subnet size": StorageCacheManagementClient.get_required_aml_fs_subnets_size,
    "file system": lustre.AmlFilesystemsOperations.get,
    # Its path is any id, so it is the last.
    "role": authorization.RoleDefinitionsOperations.get_by_id,
}


@dataclass(frozen=True)
class _Operation:
    """template: of its path. version: None if the caller chooses it. model: of an item if `listed`."""

    method: str
    template: str
    version: str | None
    model: type
    listed: bool

    def matches(self, method: str, path: str, version: str) -> bool:
        return (
            method == self.method
            and self.version in (None, version)
            and re.fullmatch(_pattern(self.template), path, re.IGNORECASE) is not None
        )


def _pattern(template: str) -> str:
    """Ids of resources and scopes have slashes, names have none."""
    parts = re.split(r"(\{\w+\})", template)
    wide = ("{resourceId}", "{scope}", "{roleId}", "{roleDefinitionId}")
    return "".join(".+" if part in wide else "[^/]+" if part.startswith("{") else re.escape(part) for part in parts)


@cache
def _read(operation: Callable[..., Any]) -> _Operation:
    """What an operation sends and gets, as its own code says."""
    operation = inspect.unwrap(operation)
    source, scope = inspect.getsource(operation), operation.__globals__
    [builder] = {*re.findall(r"\b(build_\w+_request)\b", source)}
    request = inspect.getsource(scope[builder])
    found = re.search(r'_url = \(?\s*(?:kwargs\.pop\(\s*"template_url",\s*)?"([^"]+)"', request)
    method = re.search(r'method="(\w+)"', request)
    version = re.search(r'"api-version", "([\w.-]+)"', request)
    assert found is not None and method is not None, builder
    models = scope["_models"]
    listed = re.search(r"ClsType\[List\[_models\.(\w+)\]\]", source)
    single = re.search(r"ClsType\[_models\.(\w+)\]", source)
    name = (listed or cast("re.Match[str]", single))[1]
    model = getattr(models, name)
    # Older clients name the page, newer ones the item.
    pages = getattr(model, "_attribute_map", {}).get("value", {}).get("type", "")
    if pages.startswith("[") and "get_next" in source:
        return _Operation(method[1], found[1], version and version[1], getattr(models, pages.strip("[]")), True)
    return _Operation(method[1], found[1], version and version[1], model, listed is not None)


def _check(model: Any, value: Json, at: str = "") -> None:
    """Raises AssertionError for a field that the model lacks."""
    if hasattr(model, "_attribute_map"):
        _check_flat(model, value, at)
        return
    read = model(value)
    fields = {found._rest_name: name for name, found in model._attr_to_rest_field.items()}
    for key, given in value.items():
        assert key in fields, f"{model.__name__} has no {key} ({at})"
        _check_value(getattr(read, fields[key]), given, f"{at}.{key}")


def _check_value(read: Any, given: Any, at: str) -> None:
    if isinstance(given, list):
        for one, raw in zip(read, given, strict=True):
            _check_value(one, raw, at)
    elif isinstance(given, dict) and hasattr(type(read), "_attr_to_rest_field"):
        _check(type(read), given, at)


def _check_flat(model: Any, value: Json, at: str) -> None:
    """Of older clients, whose models flatten `properties`."""
    known = {one["key"]: one["type"] for one in model._attribute_map.values()}
    for path, given in _leaves(value, {key.partition(".")[0] for key in known if "." in key}):
        assert path in known, f"{model.__name__} has no {path} ({at})"
        if (kind := known[path]).startswith("[") and isinstance(given, list):
            items = getattr(inspect.getmodule(model), kind.strip("[]"), None)
            for one in given:
                if items is not None and isinstance(one, dict):
                    _check_flat(items, one, f"{at}.{path}")


def _leaves(value: Json, nested: set[str]) -> Iterator[tuple[str, Any]]:
    for key, given in value.items():
        if key in nested:
            yield from ((f"{key}.{name}", inner) for name, inner in given.items())
        else:
            yield key, given


@dataclass(frozen=True)
class Fault:
    """An answer that is none. times: how often; then the answer comes. seconds: before it."""

    status: int = 0
    code: str = ""
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    times: int = 1_000
    seconds: float = 0


@dataclass
class ResourceManager:
    """answers: name of an operation -> an object, a list of them, or for ids the objects by the end of the path; one
    that is missing is not found. faults: likewise, or by "" for every operation. page: objects in one.

    requests: name of the operation and path, as they came. refused: requests that no operation sends.
    """

    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    faults: dict[str, Fault] = field(default_factory=dict[str, Fault])
    page: int = 1_000
    url: str = ""
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    refused: list[str] = field(default_factory=list[str])
    writes: list[str] = field(default_factory=list[str])
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._operations = {name: _read(operation) for name, operation in _OPERATIONS.items()}
        self._failed: dict[str, int] = {}
        self._lock = threading.Lock()

    def answer(self, method: str, target: str) -> tuple[int, Json, Mapping[str, str]]:
        parts = urlsplit(target)
        path, query = unquote(parts.path), parse_qs(parts.query)
        version = query.get("api-version", [""])[0]
        named = (
            name for name, one in self._operations.items() if one.matches(method, path, version) and name != "resource"
        )
        fallback = "resource" if self._operations["resource"].matches(method, path, version) else None
        name = next(named, fallback)
        if method != "GET" and name != "subnet size":
            self.writes.append(f"{method} {path}")
        if name is None:
            self.refused.append(f"{method} {target}")
            return 404, _error("InvalidResourceType", f"no operation {method} {target}"), {}
        self.requests.append((name, path))
        fault = self.faults.get(name) or self.faults.get("")
        if fault is not None and self._fails(name, fault):
            return fault.status, _error(fault.code, fault.message), fault.headers
        return self._found(name, path, int(query.get("page", ["0"])[0]), target)

    def _fails(self, name: str, fault: Fault) -> bool:
        with self._lock:
            count = self._failed[name] = self._failed.get(name, 0) + 1
        if count <= fault.times:
            self.stopping.wait(fault.seconds)
            return fault.status != 0
        return False

    def _found(self, name: str, path: str, page: int, target: str) -> tuple[int, Json, Mapping[str, str]]:
        operation, given = self._operations[name], self.answers.get(name)
        if isinstance(given, dict) and not operation.listed and any(key.startswith("/") for key in given):
            by_end = cast("Mapping[str, Json]", given)
            given = next((one for end, one in by_end.items() if path.lower().endswith(end.lower())), None)
        if given is None:
            return 404, _error("ResourceNotFound", f"{path} was not found"), {}
        if not operation.listed:
            _check(operation.model, given, name)
            return 200, given, {}
        items = cast("list[Json]", given)[page * self.page : (page + 1) * self.page]
        for one in items:
            _check(operation.model, one, name)
        more = len(given) > (page + 1) * self.page
        base = re.sub(r"&page=\d+", "", target)
        return 200, {"value": items, **({"nextLink": f"{self.url}{base}&page={page + 1}"} if more else {})}, {}


def _error(code: str, message: str) -> Json:
    return {"error": {"code": code, "message": message}}


def _handler(manager: ResourceManager) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            assert self.headers.get("Authorization", "").startswith("Bearer ")
            try:
                status, body, headers = manager.answer(self.command, self.path)
            except AssertionError as error:
                manager.refused.append(str(error))
                status, body, headers = 500, _error("FakeIsWrong", str(error)), {}
            text = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {
                "Content-Type": "application/json",
                "Content-Length": str(len(text)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, format: str, *_: Any) -> None:
            pass

    return Handler


def certificate(folder: Path) -> Path:
    """A certificate for this machine, with its key, of a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *plain) + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@contextlib.contextmanager
def served(manager: ResourceManager, pem: Path) -> Generator[ResourceManager]:
    """On a free port of loopback, until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(manager))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    manager.url = f"https://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield manager
    finally:
        manager.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()
        time.sleep(0)

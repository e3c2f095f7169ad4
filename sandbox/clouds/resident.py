"""The simulated clouds of one `gpucluster sandbox pulumi` run, served from threads of the sandbox process, and the
launchers in place of provider plugins.

Launchers (`launcher.py`) request a port over a Unix socket. The connection stays open while the launcher runs; when it
ends, the server on that port stops.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from gpucluster.core.light_import import install_empty_sdk
from gpucluster.sandbox.clouds import launcher
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import Sdk

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.events.scenario import Scenario
    from gpucluster.sandbox.clouds.events.weather import Mishap, Weather
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
    from gpucluster.sandbox.clouds.registry import Clouds


def install_launchers(home: Path, sdks: Mapping[str, Sdk], *, any_version: bool = False) -> None:
    """Writes `<home>/plugins/resource-<package>-v<version>/pulumi-resource-<package>` for each SDK.

    The version is the SDK's own, which a program requests. Launchers of earlier installed versions are kept: an
    existing stack requests them until its next `up`. Launchers without an SDK are removed, and the schemas that the
    engine and the YAML host kept: they have only the types of an earlier command (pkg/v3, schema.loadSchemaBytes).

    any_version: also a launcher above any version, for an engine that takes the highest (TAKES_THE_HIGHEST): a program
    in another language than Python brings SDKs in versions that are not installed here.
    """
    plugins = home / "plugins"
    for schema in (*plugins.glob("schema-*.json"), *(home / "schemas").glob("*.json")):
        schema.unlink(missing_ok=True)
    earlier = {folder: _package(folder) for folder in plugins.glob("resource-*-v*") if folder.is_dir()}
    for folder in (folder for folder, package in earlier.items() if package not in sdks):
        shutil.rmtree(folder, ignore_errors=True)
    own = {plugins / f"resource-{sdk.package}-v{sdk.version}": sdk.package for sdk in sdks.values()}
    if any_version:
        own |= {plugins / f"resource-{sdk.package}-v{_ABOVE_ANY}": sdk.package for sdk in sdks.values()}
    for folder, package in {**earlier, **own}.items():
        if package in sdks:
            _write(folder / f"pulumi-resource-{package}", package)


_ABOVE_ANY: Final = "999.0.0"
TAKES_THE_HIGHEST: Final = {"PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH": "true"}
"""The engine then runs the plugin of the highest version from the one that a program asks for (sdk/v3
go/common/workspace/plugins.go); it takes that very version otherwise."""


def _package(folder: Path) -> str:
    return folder.name.removeprefix("resource-").rpartition("-v")[0]


def _write(file: Path, package: str) -> None:
    command = shlex.join([sys.executable, "-I", "-S", str(Path(launcher.__file__)), package])
    text = f"#!/bin/sh\nexec {command}\n"
    if file.is_file() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    # Another run may be starting the old one.
    scratch = file.with_name(f"{file.name}.{os.getpid()}")
    scratch.write_text(text)
    scratch.chmod(0o755)
    scratch.replace(file)


_log = logging.getLogger(__name__)
_logger = logging.getLogger("gpucluster.sandbox")
"""Above the loggers of all modules of the sandbox."""

_MESSAGE_BYTES = 400 * 1024 * 1024
"""Largest message, as in the Pulumi SDK."""


class Resident:
    """Answers launchers at a socket while the context is open.

    The socket exists from the beginning; `start` begins to answer. The engine is started in between, so that no thread
    exists yet when the process forks, and the protocol modules load while the engine does.
    """

    def __init__(
        self,
        socket_path: Path,
        sdks: Mapping[str, Sdk],
        ledger: Ledger,
        log_file: Path,
        scenario: Scenario,
        servers: RealServers | None = None,
        named: Set[str] = frozenset(),
        waits: Path | None = None,
    ) -> None:
        """log_file: traces of the sandbox's own faults. servers: real API servers for the Kubernetes objects, if
        requested. named: types that the command may be about. waits: file of the waits that the program reports.
        """
        self._socket_path = socket_path
        self._sdks = sdks
        self._ledger = ledger
        self._traces = logging.FileHandler(log_file, delay=True)
        self._scenario = scenario
        self._servers = servers
        self._named = named
        self._waits = waits
        self.invents = False
        """Whether resources have made-up values that a program reads or imports, and the sandbox does not have."""
        self._weather: Weather | None = None
        self._listener = socket.socket(socket.AF_UNIX)

    def __enter__(self) -> Self:
        self._listener.bind(str(self._socket_path))
        self._listener.listen(64)
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._socket_path.unlink(missing_ok=True)
        _logger.removeHandler(self._traces)
        self._traces.close()

    def start(self) -> None:
        """Begins to answer."""
        _logger.addHandler(self._traces)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def mishaps(self) -> Sequence[Mishap]:
        """The requests that failed so far."""
        return self._weather.mishaps if self._weather is not None else ()

    @property
    def missing(self) -> Mapping[str, str]:
        """The settings that a provider lacks: key of the stack's configuration -> an example."""
        return self._weather.missing if self._weather is not None else {}

    @property
    def requests(self) -> int:
        """The number of requests that matched the first disturbance of the scenario."""
        return self._weather.seen(0) if self._weather is not None else 0

    def _accept(self) -> None:
        try:
            install_empty_sdk()
            from gpucluster.sandbox.clouds.events.weather import Weather
            from gpucluster.sandbox.clouds.registry import Clouds

            self._weather = Weather(self._scenario, self._waits)
            self._weather.inventions.reads = self.invents
            clouds = Clouds(self._sdks, self._ledger, self._weather, self._servers, self._named)
        except Exception:
            # Launchers see the end of their connection, and the engine reports the provider that did not start.
            _log.exception("the simulated clouds did not start")
            self._listener.close()
            raise
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection, clouds), daemon=True).start()

    def end(self, connection: socket.socket, server: Any) -> None:
        """Simulates the death of a provider's process: the launcher ends with the connection, and the engine loses its
        call.
        """
        connection.shutdown(socket.SHUT_RDWR)
        server.stop(grace=None)

    def _answer(self, connection: socket.socket, clouds: Clouds) -> None:
        """Serves one provider instance until its launcher ends."""
        from pulumi.runtime.proto import provider_pb2_grpc

        from gpucluster.sandbox.machine.local_server import loopback_server

        with connection, connection.makefile() as requests:
            package = requests.readline().strip()
            options = [("grpc.max_receive_message_length", _MESSAGE_BYTES)]
            server, port = loopback_server(options)
            provider = clouds.provider(package)
            provider.die = partial(self.end, connection, server)
            provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
            server.start()
            connection.sendall(f"{port}\n".encode())
            requests.readline()
            server.stop(grace=None)
            # The caller has exited.
            provider.stop_waiting()

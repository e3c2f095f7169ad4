# ruff: noqa: ARG002  # the protocol defines the arguments
"""Forwards a program's output to the engine, which shows it under the stack's diagnostics."""

from __future__ import annotations

import itertools
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import distributions, version
from pathlib import Path

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, language_pb2, language_pb2_grpc, plugin_pb2

from gpucluster.errors import InputError
from gpucluster.sandbox.engine.engine import INPUT_ERROR_FILE, EngineError
from gpucluster.sandbox.engine.language_host import children, runner
from gpucluster.sandbox.machine.local_server import loopback_server

# The engine numbers its own streams from 1 upwards; those of this server only have to be different.
_STREAMS = itertools.count(1_000_000)


class EngineLog:
    """The log of the engine at an address."""

    def __init__(self, address: str) -> None:
        self._engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def new_stream(self) -> int:
        """A number that connects the pieces of one output."""
        return next(_STREAMS)

    def info(self, message: str, stream: int) -> None:
        """Show a piece of output."""
        self._send(engine_pb2.LogRequest(severity=engine_pb2.INFO, message=message, streamId=stream))

    def error(self, message: str) -> None:
        """Show an error."""
        self._send(engine_pb2.LogRequest(severity=engine_pb2.ERROR, message=message))

    def _send(self, request: engine_pb2.LogRequest) -> None:
        with suppress(grpc.RpcError):  # an engine that has exited shows nothing
            self._engine.Log(request)


class MissingVirtualenv(InputError):
    """The project's virtual environment does not exist; the message is for the user."""


def interpreter(root: str, virtualenv: str | None) -> Path:
    """The interpreter for a project rooted at `root`; ours if it has no virtual environment, or uses ours."""
    if not virtualenv:
        return Path(sys.executable)
    folder = Path(root, virtualenv)
    if os.path.realpath(folder) == os.path.realpath(sys.prefix):
        return Path(sys.executable)
    python = folder / "bin" / "python"
    if not python.exists():
        raise MissingVirtualenv(
            f'The project in {root} names the virtual environment "{virtualenv}" (runtime.options.virtualenv), '
            f"but there is no {os.path.normpath(python)}.\n"
            f"Create it (python3 -m venv {os.path.normpath(folder)}) and install the project's requirements there, "
            "or correct or remove that option."
        )
    return python


_PLUGINS = {"analyzer": "policy pack", "resource": "provider"}


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Starts programs and packs for every engine that connects, each run in its own process."""

    def __init__(self, engine_address: str | None) -> None:
        """`engine_address` is known if the engine started us; an engine that attaches sends it in Handshake."""
        self._engine_address = engine_address or ""
        self._engine_by_connection: dict[str, str] = {}

    def Handshake(
        self, request: language_pb2.LanguageHandshakeRequest, context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        self._engine_by_connection[context.peer()] = request.engine_address
        self._engine_address = request.engine_address
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=version("pulumi"))

    def About(self, request: language_pb2.AboutRequest, context: grpc.ServicerContext) -> language_pb2.AboutResponse:
        python = _interpreter_or_abort(request.info, context)
        asked = subprocess.run([python, "-V"], capture_output=True, text=True, check=True)
        return language_pb2.AboutResponse(executable=str(python), version=asked.stdout.strip().removeprefix("Python "))

    def GetRequiredPackages(
        self, request: language_pb2.GetRequiredPackagesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        """Empty: each resource names its package and version at its registration."""
        return language_pb2.GetRequiredPackagesResponse()

    def GetProgramDependencies(
        self, request: language_pb2.GetProgramDependenciesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetProgramDependenciesResponse:
        """The installed distributions for `pulumi about`; on request also indirect dependencies."""
        python = _interpreter_or_abort(request.info, context)
        current = python == Path(sys.executable)
        folders = [str(path) for path in python.parent.parent.glob("lib/python*/site-packages")]
        found = list(distributions() if current else distributions(path=folders))
        needed = {
            _normal(match[0])
            for one in found
            for requirement in one.requires or []
            if (match := re.match(r"[\w.-]+", requirement))
        }
        listed = {
            one.name: one.version for one in found if request.transitiveDependencies or _normal(one.name) not in needed
        }
        return language_pb2.GetProgramDependenciesResponse(
            dependencies=[language_pb2.DependencyInfo(name=name, version=listed[name]) for name in sorted(listed)]
        )

    def InstallDependencies(
        self, request: language_pb2.InstallDependenciesRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        python = _interpreter_or_abort(request.info, context)
        text = f"Nothing to install: programs run on {python} with its installed packages.\n"
        yield language_pb2.InstallDependenciesResponse(stdout=text.encode())

    def GenerateProgram(
        self, request: language_pb2.GenerateProgramRequest, context: grpc.ServicerContext
    ) -> language_pb2.GenerateProgramResponse:
        # Imported late: only `pulumi import` generates code.
        from gpucluster.sandbox.engine.code_generator import generate

        try:
            return language_pb2.GenerateProgramResponse.FromString(generate(request.SerializeToString()))
        except EngineError as error:
            context.abort(grpc.StatusCode.INTERNAL, f"the program could not be generated: {error}")
            raise  # abort has raised; this is for the type checker

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """The engine sends this at every shutdown of one of its parts; programs end with their own request."""
        return empty_pb2.Empty()

    def Run(self, request: language_pb2.RunRequest, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        address = self._engine_by_connection.get(context.peer(), self._engine_address)
        log = EngineLog(address)
        try:
            python = interpreter(request.info.root_directory, _virtualenv(request.info))
        except MissingVirtualenv as error:
            _mark_as_input(error)
            log.error(str(error))
            return language_pb2.RunResponse(bail=True)
        child = children.start(python, "program", request.SerializeToString(), address)
        context.add_callback(child.kill)
        printers = [
            threading.Thread(target=_print_lines, args=(read, log), daemon=True)
            for read in (child.stdout, child.stderr)
        ]
        for printer in printers:
            printer.start()
        code = child.wait()
        for printer in printers:
            printer.join(timeout=1)  # a process started by the program may hold its output open
        if code in (0, runner.SHOWN):
            return language_pb2.RunResponse(bail=code == runner.SHOWN)
        how = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
        return language_pb2.RunResponse(error=f"the program {how}")

    def RunPlugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        kind = _PLUGINS.get(request.kind)
        if kind is None:
            known = "only policy packs and providers can be started"
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f'{known}, not a "{request.kind}"')
            raise AssertionError  # abort has raised; this is for the type checker
        python = _interpreter_or_abort(request.info, context)
        child = children.start(python, kind, request.SerializeToString(), "")
        context.add_callback(child.kill)
        outputs: queue.SimpleQueue[language_pb2.RunPluginResponse | None] = queue.SimpleQueue()

        def collect(read: Callable[[], bytes], message: Callable[[bytes], language_pb2.RunPluginResponse]) -> None:
            while piece := read():
                outputs.put(message(piece))
            outputs.put(None)

        for stream in (child.stdout, _plugin_stdout), (child.stderr, _plugin_stderr):
            threading.Thread(target=collect, args=stream, daemon=True).start()
        for _ in ("stdout", "stderr"):
            while (output := outputs.get()) is not None:
                yield output
        yield language_pb2.RunPluginResponse(exitcode=child.wait())


def serve(engine_address: str | None) -> tuple[grpc.Server, int]:
    """Start serving on a port of this machine; returns the server, which stops without references to it, and its
    port.
    """
    server, port = loopback_server([("grpc.so_reuseport", 0)])
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageHost(engine_address), server)
    server.start()
    return server, port


def _virtualenv(info: language_pb2.ProgramInfo) -> str | None:
    value = info.options.fields.get("virtualenv")
    return value.string_value if value else None


def _interpreter_or_abort(info: language_pb2.ProgramInfo, context: grpc.ServicerContext) -> Path:
    try:
        return interpreter(info.root_directory, _virtualenv(info))
    except MissingVirtualenv as error:
        _mark_as_input(error)
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        raise  # abort has raised; this is for the type checker


def _mark_as_input(error: Exception) -> None:
    """Makes the command exit with the code of invalid input, and end with the reason: the engine has one code for all
    errors.
    """
    if marker := os.environ.get(INPUT_ERROR_FILE):
        Path(marker).write_text(str(error), encoding="utf-8")


def _plugin_stdout(piece: bytes) -> language_pb2.RunPluginResponse:
    return language_pb2.RunPluginResponse(stdout=piece)


def _plugin_stderr(piece: bytes) -> language_pb2.RunPluginResponse:
    return language_pb2.RunPluginResponse(stderr=piece)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _print_lines(read: Callable[[], bytes], log: EngineLog) -> None:
    stream, rest = log.new_stream(), b""
    while piece := read():
        *lines, rest = (rest + piece).split(b"\n")
        if lines:
            log.info(b"\n".join([*lines, b""]).decode(errors="replace"), stream)
    if rest:
        log.info(rest.decode(errors="replace"), stream)

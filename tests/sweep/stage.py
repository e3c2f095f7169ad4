"""A folder with a stack in it, and the engine run on it: clouds and language host live in this process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from pulumi.runtime.proto import language_pb2_grpc

from gpucluster.core.program.resources import urn_name
from gpucluster.sandbox.clouds.events.scenario import Disturbance, Scenario
from gpucluster.sandbox.clouds.launcher import SOCKET_VARIABLE
from gpucluster.sandbox.clouds.resident import Resident, install_launchers
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.commands.recover import recover
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.machine.disk import scratch_folder
from gpucluster.sandbox.machine.local_server import loopback_server
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.environment import environment
from gpucluster.sandbox.project.project import Project

__all__ = ["Fault", "Operation", "Ran", "Stage", "copied", "made", "serving"]

ROOT: Final = Path(__file__).parents[2]
_LIMIT: Final = 3600
"""Seconds for a command: many times what it takes, since a sweep runs beside other work."""


class Operation(NamedTuple):
    """What a cloud is asked for. name: of the resource in the program."""

    request: str
    type: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Fault(Disturbance):
    """Meets each of its operations so many times, and keeps what the clouds were asked for and whether it met that."""

    type: str = "*"
    operations: frozenset[Operation] = frozenset()
    tries: int = 1
    asked: list[tuple[Operation, bool]] = field(default_factory=list[tuple[Operation, bool]])

    def concerns(self, type_: str, names: tuple[str, ...], request: str) -> bool:
        if request == "read":
            return False
        operation = Operation(request, type_, names[0])
        met = operation in self.operations and self.asked.count((operation, True)) < self.tries
        self.asked.append((operation, met))
        return met


@dataclass(frozen=True)
class Ran:
    """How a command of the engine ended. failed: what the clouds did not do."""

    code: int
    output: str
    failed: frozenset[Operation]


class _Clouds(Resident):
    """Clouds whose crash takes the engine along, where it shall."""

    engine: subprocess.Popen[str] | None = None
    _connections: list[socket.socket]

    def __enter__(self) -> Self:
        self._connections = []
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        """Also ends the threads that listen, and the launchers of an engine that was killed: a sweep has hundreds."""
        for each in (self._listener, *self._connections):
            with suppress(OSError):  # it is closed
                each.shutdown(socket.SHUT_RDWR)
        super().__exit__(*error)

    def _answer(self, connection: socket.socket, clouds: Any) -> None:
        self._connections.append(connection)
        super()._answer(connection, clouds)

    def end(self, connection: socket.socket, server: Any) -> None:
        if self.engine is not None:
            self.engine.kill()
        super().end(connection, server)


@dataclass(frozen=True)
class Stage:
    """A project with one stack."""

    root: Path
    stack: str

    @property
    def project(self) -> Project:
        """Its project."""
        return Project(self.root / "Pulumi.yaml")

    def existing(self) -> list[Entry]:
        """What the clouds have."""
        return self.project.store.existing()

    def run(self, *words: str, port: int, fault: Fault | None = None, kills: bool = False, logs: bool = False) -> Ran:
        """Runs the engine, one operation after the other; kills: a crash ends it; logs: it keeps its own."""
        engine, store, sdks = find_engine(), self.project.store, installed_sdks(site_packages(None))
        install_launchers(store.home, sdks)
        kept = store.home / "logs"
        shutil.rmtree(kept, ignore_errors=True)
        kept.unlink(missing_ok=True)
        if not logs:
            kept.touch()  # with a file in the place of its folder the engine writes no logs: a third less work
        scenario = Scenario(operations=(fault or Fault(),))
        with scratch_folder() as scratch, store.open_ledger() as ledger:
            config = scratch / f"Pulumi.{self.stack}.yaml"
            stacks.private_config(self.project, self.stack, self.project.stack_file(self.stack), config)
            paths = os.pathsep.join([str(engine.binary.parent), os.environ.get("PATH", "")])
            variables = environment(os.environ, store) | {"PATH": paths, SOCKET_VARIABLE: str(scratch / "clouds")}
            variables |= {"PULUMI_DEBUG_LANGUAGES": f"python:{port}"}
            # Written once, at the end: half of the engine's work is to write the state at each operation.
            variables |= {"PULUMI_SKIP_CHECKPOINTS": "false" if kills else "true"}
            with _Clouds(scratch / "clouds", sdks, ledger, store.log, scenario) as clouds:
                clouds.start()
                command = [str(engine.binary), *words, "--yes", "--skip-preview", "--non-interactive"]
                command += ["--parallel", "1", "--stack", self.stack, "--config-file", str(config)]
                pipe = subprocess.PIPE
                with subprocess.Popen(
                    command, cwd=self.root, env=variables, stdout=pipe, stderr=subprocess.STDOUT, text=True
                ) as process:
                    clouds.engine = process if kills else None
                    output, _ = process.communicate(timeout=_LIMIT)
                failed = frozenset(Operation(it.request, it.type, urn_name(it.urn)) for it in clouds.mishaps)
        return Ran(process.returncode, output, failed)

    def recover(self) -> None:
        """Runs `gpucluster sandbox recover`."""
        with chdir(self.root), TextIOWrapper(BytesIO()) as said, redirect_stdout(said), redirect_stderr(said):
            recover.main(["--stack", self.stack], standalone_mode=False)


def copied(stage: Stage, root: Path) -> Stage:
    """The same stack elsewhere, with its state and its clouds; in the place of what is there."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(stage.root, root, symlinks=True, ignore=shutil.ignore_patterns("logs", "backups"))
    return Stage(root, stage.stack)


@contextmanager
def serving(host: Any) -> Generator[int]:
    """A language host at a port."""
    server, port = loopback_server([("grpc.so_reuseport", 0)])
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None)


def made(root: Path, stack: str) -> Stage:
    """A stack of this repository in an empty folder."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    shutil.copy(ROOT / "Pulumi.yaml", root)
    shutil.copytree(ROOT / "stacks", root / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".venv").symlink_to(sys.prefix)
    spec = root / "stacks/specs/trial.yaml"  # an update from the range of an example is the sandbox's alone
    spec.write_text(spec.read_text().replace("203.0.113.0/24", "5.6.7.0/24"))
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", "stack", "init", stack]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return Stage(root, stack)

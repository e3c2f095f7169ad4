"""A folder with a stack in it, and the engine run on it: clouds and language host live in this process."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pulumi.runtime.proto import language_pb2_grpc

from gpucluster.sandbox import stacks
from gpucluster.sandbox.clouds.launcher import SOCKET_VARIABLE
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.plugins import install_launchers
from gpucluster.sandbox.clouds.resident import Resident
from gpucluster.sandbox.clouds.scenario import Disturbance, Scenario
from gpucluster.sandbox.clouds.sdk import installed_sdks, site_packages
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.environment import environment
from gpucluster.sandbox.own_user import loopback_server
from gpucluster.sandbox.project import Project
from gpucluster.sandbox.scratch import scratch_folder

__all__ = ["COUNTER", "Ran", "Stage", "copied", "made", "serving"]

ROOT: Final = Path(__file__).parents[2]
COUNTER: Final = Disturbance(type="*", request="any", at=1 << 30)
"""Never comes, and counts every request."""
_LIMIT: Final = 300


@dataclass(frozen=True)
class Ran:
    """How a command of the engine ended. requests: creates, updates and deletes that the clouds were asked for."""

    code: int
    output: str
    requests: int


class _Clouds(Resident):
    """Clouds whose crash takes the engine along, where it shall."""

    engine: subprocess.Popen[str] | None = None

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

    def run(self, *words: str, port: int, wishes: Sequence[Disturbance] = (), kills: bool = False) -> Ran:
        """Runs the engine, one operation after the other; kills: a crash ends the engine too."""
        engine, store, sdks = find_engine(), self.project.store, installed_sdks(site_packages(None))
        install_launchers(store.home, sdks)
        scenario = Scenario(operations=(COUNTER, *wishes))
        with scratch_folder() as scratch, store.open_ledger() as ledger:
            config = scratch / f"Pulumi.{self.stack}.yaml"
            stacks.private_config(self.project, self.stack, self.project.stack_file(self.stack), config)
            paths = os.pathsep.join([str(engine.binary.parent), os.environ.get("PATH", "")])
            variables = environment(os.environ, store) | {"PATH": paths, SOCKET_VARIABLE: str(scratch / "clouds")}
            variables |= {"PULUMI_DEBUG_LANGUAGES": f"python:{port}"}
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
                requests = clouds.requests
        logging.getLogger("sandbox").handlers.clear()
        return Ran(process.returncode, output, requests)

    def recover(self) -> None:
        """Runs `gpucluster sandbox recover`."""
        command = [sys.executable, "-m", "gpucluster", "sandbox", "recover", "--stack", self.stack]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False, timeout=_LIMIT)
        assert done.returncode == 0, done.stdout + done.stderr


def copied(stage: Stage, root: Path) -> Stage:
    """The same stack elsewhere, with its state and its clouds."""
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


def made(root: Path, stack: str, config: Sequence[str]) -> Stage:
    """A stack of this repository in an empty folder. config: lines that follow in its file."""
    root.mkdir(parents=True)
    shutil.copy(ROOT / "Pulumi.yaml", root)
    shutil.copytree(ROOT / "stacks", root / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".venv").symlink_to(sys.prefix)
    spec = root / "stacks/specs/trial.yaml"  # an update from the range of an example is the sandbox's alone
    spec.write_text(spec.read_text().replace("203.0.113.0/24", "5.6.7.0/24"))
    file = root / "stacks" / f"Pulumi.{stack}.yaml"
    file.write_text(file.read_text() + "".join(f"  {line}\n" for line in config))
    command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", "stack", "init", stack]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return Stage(root, stack)

"""Starts the language host of one command together with its engine."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from gpucluster.sandbox.engine.engine import Engine, EngineError

PYTHON_VARIABLE = "GPUCLUSTER_PYTHON"
"""Variable with the interpreter that has this package, for the launcher in the folder of a built engine."""

_READY_WITHIN_SECONDS = 60


@dataclass(frozen=True)
class LanguageHost:
    """A starting language host, or none if the engine includes one."""

    engine: Engine
    process: subprocess.Popen[bytes] | None

    @property
    def died(self) -> bool:
        """Whether it ended before its context, which a command does not survive."""
        return self.process is not None and self.process.poll() is not None

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """`base` with the variables by which the engine finds its parts; waits until the host listens.

        Raises EngineError if the host does not start.
        """
        # Its own folder first: the engine warns about a language host found anywhere else.
        path = os.pathsep.join(filter(None, [str(self.engine.binary.parent), base.get("PATH", "")]))
        environment = dict(base) | {"PATH": path}
        if self.engine.language_host is not None:
            environment[PYTHON_VARIABLE] = sys.executable
        if self.process is not None:
            # The engine attaches to a running language host.
            environment["PULUMI_DEBUG_LANGUAGES"] = f"python:{_port(self.process)}"
        return environment


@contextmanager
def start_language_host(engine: Engine, environment: Mapping[str, str]) -> Generator[LanguageHost]:
    """Start the host and return at once; programs run with `environment`. It ends with the context, or with our
    process.
    """
    if engine.language_host is None:
        yield LanguageHost(engine, None)
        return
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "gpucluster.sandbox.engine.language_host"],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Only the engine receives Ctrl-C: it decides when programs end.
        start_new_session=True,
    )
    try:
        yield LanguageHost(engine, process)
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _port(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:  # select() supports only the first 1,024 files of a process
        selector.register(process.stdout, selectors.EVENT_READ)
        line = process.stdout.readline().strip() if selector.select(_READY_WITHIN_SECONDS) else b""
    if not line.isdigit():
        raise EngineError(
            f"The Python language host did not start (it said {line.decode(errors='replace') or 'nothing'!r}; "
            f"expected a port).\nIs the environment complete? {sys.executable} -P "
            "-m gpucluster.sandbox.engine.language_host shows why; `make` installs it again."
        )
    return int(line)

"""Starts the processes that run programs and packs: forked from a warm process, or by another interpreter."""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from gpucluster.sandbox.engine.language_host import runner

_CONTEXT = multiprocessing.get_context("forkserver")

NO_FORK_VARIABLE = "GPUCLUSTER_NO_FORK"
"""Variable that, with any value, starts each program by its interpreter, as Pulumi's own language host does."""

_PIECE = 65536


@dataclass(frozen=True)
class Child:
    """A running program or pack."""

    stdout: Callable[[], bytes]
    """The next output; empty at its end."""
    stderr: Callable[[], bytes]
    wait: Callable[[], int]
    """The exit code, after it has ended; for a signal, minus its number."""
    kill: Callable[[], None]


def warm_up(scratch: Path) -> None:
    """Start the process that imports the SDK and waits to be forked; returns at once. Nothing with NO_FORK_VARIABLE.

    scratch: receives its socket. In a separate folder, `multiprocessing` would remove it only at an exit that waits
    for all children.
    """
    if os.environ.get(NO_FORK_VARIABLE):
        return
    config: dict[str, object] = vars(multiprocessing.current_process())["_config"]
    config["tempdir"] = str(scratch)
    _CONTEXT.set_forkserver_preload(["pulumi", "runpy", "yaml", runner.__name__])
    multiprocessing.forkserver.ensure_running()


def start(python: Path, kind: str, data: bytes, engine_address: str) -> Child:
    """Run a serialized request: in a fork if `python` is this interpreter, else by starting it; without
    NO_FORK_VARIABLE.
    """
    if python == Path(sys.executable) and not os.environ.get(NO_FORK_VARIABLE):
        return _fork(kind, data, engine_address)
    return _spawn(python, kind, data, engine_address)


def _fork(kind: str, data: bytes, engine_address: str) -> Child:
    out, out_of_child = _CONTEXT.Pipe(duplex=False)
    err, err_of_child = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_in_fork, args=(kind, data, engine_address, out_of_child, err_of_child))
    process.start()
    out_of_child.close()
    err_of_child.close()

    def wait() -> int:
        process.join()
        return process.exitcode or 0

    return Child(lambda: os.read(out.fileno(), _PIECE), lambda: os.read(err.fileno(), _PIECE), wait, process.kill)


def _in_fork(kind: str, data: bytes, engine_address: str, stdout: Connection, stderr: Connection) -> None:
    os.dup2(stdout.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    stdout.close()
    stderr.close()
    parent = multiprocessing.parent_process()
    assert parent is not None
    runner.run_and_exit(kind, data, engine_address, lifeline=parent.sentinel)


def _spawn(python: Path, kind: str, data: bytes, engine_address: str) -> Child:
    process = subprocess.Popen(
        [python, runner.__file__, kind, engine_address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    # stdin stays open: its end tells the child that our process has ended.
    process.stdin.write(b"%d\n%b" % (len(data), data))
    process.stdin.flush()
    out, err = process.stdout.fileno(), process.stderr.fileno()

    def kill() -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)

    return Child(lambda: os.read(out, _PIECE), lambda: os.read(err, _PIECE), process.wait, kill)

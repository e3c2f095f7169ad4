"""The engine's process, here a program that stands for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from gpucluster.core.text.terminal import OutputError
from gpucluster.sandbox.machine import process
from gpucluster.sandbox.machine.process import StoppedError, run_engine, without_echoes
from tests.waiting import output_of, wait_for

STUBBORN = (
    "import pathlib, signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "pathlib.Path({up!r}).touch(); time.sleep(3600)"
)
SANDBOX = (
    "import os, sys; from gpucluster.sandbox.machine.process import run_engine; "
    "run_engine(sys.argv[1:], os.environ, started=lambda: None, relayed=False, obstacle=str)"
)


def _run(program: str, obstacle: Callable[[], str]) -> int:
    command = [sys.executable, "-c", program]
    return run_engine(command, os.environ, started=lambda: None, relayed=True, obstacle=obstacle)


def test_an_engine_that_nothing_is_in_the_way_of_ends_by_itself() -> None:
    assert _run("import sys; sys.exit(7)", lambda: "") == 7


def test_an_engine_is_cancelled_at_an_obstacle() -> None:
    with pytest.raises(StoppedError, match="no room"):
        _run("import time; time.sleep(3600)", lambda: "no room")


def test_an_engine_that_goes_on_though_it_was_cancelled_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_MAY_TAKE", 0.1)
    up = tmp_path / "up"
    with pytest.raises(StoppedError, match="no room"):
        _run(STUBBORN.format(up=str(up)), lambda: "no room" if up.exists() else "")


def test_an_engine_that_failed_at_an_obstacle_before_anybody_looked_was_stopped_by_it() -> None:
    with pytest.raises(StoppedError, match="no room"):
        _run("import sys; sys.exit(1)", lambda: "no room")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_an_engine_ends_with_a_sandbox_that_is_killed(tmp_path: Path) -> None:
    up = tmp_path / "up"
    engine = f"import os, pathlib, time; pathlib.Path({str(up)!r}).write_text(str(os.getpid())); time.sleep(3600)"
    command = [sys.executable, "-c", SANDBOX, sys.executable, "-c", engine]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sandbox:
        running = psutil.Process(int(wait_for("the engine runs", lambda: up.exists() and up.read_text(), of=sandbox)))
        sandbox.kill()
        try:
            # The engine holds the output, too.
            output_of(sandbox)
        finally:
            with suppress(psutil.NoSuchProcess):
                running.kill()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no output that is always full")
def test_a_full_output_is_named_once_the_engine_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = tmp_path / "ended"
    program = f"for _ in range(100_000): print('line')\nopen({str(ended)!r}, 'w')"
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(OutputError, match="cannot be written: No space left on device"):
            _run(program, lambda: "")
    assert ended.exists()


OUTPUT = b"""\
Previewing update (dev):

    pulumi:pulumi:Stack tiny-dev  info: line 1 of table
    pulumi:pulumi:Stack tiny-dev running line 1 of table
    pulumi:pulumi:Stack tiny-dev    line 2  $1,000.00
 +  pulumi:pulumi:Stack tiny-dev create line 4 total
 +  pulumi:pulumi:Stack tiny-dev creating (3s) line 4 total
 +  pulumi:pulumi:Stack tiny-dev create
 +  aws:ec2:Vpc net create
    aws:ec2:Vpc net  error: something
 ~  pulumi:pulumi:Stack tiny-dev **updating failed** 1 error; 3 messages
 +  pulumi:pulumi:Stack tiny-dev created (0.16s) 1 message
Diagnostics:
  pulumi:pulumi:Stack (tiny-dev):
    line 1 of table
      line 2  $1,000.00
    line 4 total
"""
KEPT = b"""\
Previewing update (dev):

 +  pulumi:pulumi:Stack tiny-dev create
 +  aws:ec2:Vpc net create
    aws:ec2:Vpc net  error: something
 ~  pulumi:pulumi:Stack tiny-dev **updating failed** 1 error; 3 messages
 +  pulumi:pulumi:Stack tiny-dev created (0.16s) 1 message
Diagnostics:
  pulumi:pulumi:Stack (tiny-dev):
    line 1 of table
      line 2  $1,000.00
    line 4 total
"""


def coloured(text: bytes) -> bytes:
    return text.replace(b"pulumi:pulumi", b"\x1b[1mpulumi:pulumi").replace(b" create", b" \x1b[38;5;2mcreate\x1b[0m")


@pytest.mark.parametrize("colour", [bytes, coloured])
def test_echoes_of_messages_are_dropped_and_nothing_else(colour: type[bytes]) -> None:
    kept = without_echoes(colour(OUTPUT).splitlines(keepends=True))
    assert b"".join(kept) == colour(KEPT)


def test_a_document_with_urns_of_the_stack_is_left_alone() -> None:
    lines = [b'    "urn": "urn:pulumi:dev::x::pulumi:pulumi:Stack::x-dev",\n', b'     "type": "pulumi:pulumi:Stack",\n']
    assert list(without_echoes(lines)) == lines

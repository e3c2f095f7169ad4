"""The Pulumi that commands of ours ask and run: the user's own, or that of the sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, cast

from gpucluster.errors import InputError
from gpucluster.record import record


@record(kw_only=True)
class Pulumi:
    """command: what stands before Pulumi's own words. shown: the same, as a user types it."""

    command: tuple[str, ...]
    shown: str

    @property
    def sandbox(self) -> str:
        """What stands before our own commands of its kind: `sandbox `, or nothing."""
        return "" if self.shown == "pulumi" else "sandbox "

    def read(self, *words: str, stack: str | None = None) -> str:
        """What a command prints. Raises InputError, in Pulumi's words, where it fails."""
        chosen = ["--stack", stack] if stack else []
        done = subprocess.run(
            [*self.command, *words, "--non-interactive", *chosen], capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            named = f"stack {stack}" if stack else "the selected stack"
            plain = [word for word in words if not word.startswith("-")]
            raise InputError(named, [f"`pulumi {' '.join(plain)}`: {said[-1].removeprefix('error: ')}"])
        return done.stdout

    def run(self, *words: str, stack: str) -> int:
        """Runs a command that its user watches; its exit code."""
        return subprocess.run([*self.command, *words, "--stack", stack], check=False).returncode

    def stacks(self) -> list[str]:
        """The stacks of the project around the current folder."""
        found = cast(list[Mapping[str, Any]], json.loads(self.read("stack", "ls", "--json")))
        return [str(stack["name"]) for stack in found]


def of_user(why: str, instead: str) -> Pulumi:
    """That on PATH. Raises InputError where there is none. why: what it is needed for. instead: the way without it."""
    program = shutil.which("pulumi")
    if program is None:
        raise InputError(
            f"pulumi is not on PATH, but is needed to {why}: install it (pulumi.com/docs/install); {instead}"
        )
    return Pulumi(command=(program,), shown="pulumi")


def of_sandbox(options: Mapping[str, Any]) -> Pulumi:
    """That of the sandbox. options: those that stand before its command."""
    given = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    command = (sys.executable, "-m", "gpucluster", "sandbox", *given, "pulumi")
    return Pulumi(command=command, shown="gpucluster sandbox pulumi")

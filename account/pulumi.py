"""The Pulumi that our commands use: the user's own, or that of the sandbox."""

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
    """command: the arguments before Pulumi's own. shown: the same, as a user types it."""

    command: tuple[str, ...]
    shown: str

    @property
    def sandbox(self) -> str:
        """The prefix of our own commands of its kind: `sandbox `, or nothing."""
        return "" if self.shown == "pulumi" else "sandbox "

    def read(self, *words: str, stack: str | None = None) -> str:
        """The output of a command. Raises InputError with Pulumi's message if it fails."""
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
        """Runs an interactive command; returns its exit code."""
        return subprocess.run([*self.command, *words, "--stack", stack], check=False).returncode

    def stacks(self) -> list[str]:
        """The stacks of the project around the current folder."""
        found = cast(list[Mapping[str, Any]], json.loads(self.read("stack", "ls", "--json")))
        return [str(stack["name"]) for stack in found]


def of_user(why: str, instead: str) -> Pulumi:
    """The Pulumi on PATH. Raises InputError if there is none. why: its purpose. instead: the alternative without it."""
    program = shutil.which("pulumi")
    if program is None:
        raise InputError(
            f"pulumi is not on PATH, but is needed to {why}: install it (pulumi.com/docs/install); {instead}"
        )
    return Pulumi(command=(program,), shown="pulumi")


def of_sandbox(options: Mapping[str, Any]) -> Pulumi:
    """The Pulumi of the sandbox. options: the options before its command."""
    given = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    command = (sys.executable, "-m", "gpucluster", "sandbox", *given, "pulumi")
    return Pulumi(command=command, shown="gpucluster sandbox pulumi")

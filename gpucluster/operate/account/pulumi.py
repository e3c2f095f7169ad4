"""The Pulumi that our commands use: the user's own, or that of the sandbox."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.typed import Source, json_value, typed
from gpucluster.errors import InputError

_FIX: Final = "check the `pulumi` on PATH"


@dataclass(frozen=True, kw_only=True)
class Pulumi:
    """command: the arguments before Pulumi's own. shown: the same, as a user types it."""

    command: tuple[str, ...]
    shown: str

    @property
    def sandbox(self) -> str:
        """The prefix of this package's commands of its kind: `sandbox `, or nothing."""
        return "" if self.shown == "pulumi" else "sandbox "

    def read(self, *words: str, stack: str | None = None) -> str:
        """The output of a command. Raises InputError with Pulumi's message if it fails."""
        chosen = ["--stack", stack] if stack else []
        plain = f"`pulumi {_shown(words)}`"
        try:
            done = subprocess.run(
                [*self.command, *words, "--non-interactive", *chosen],
                capture_output=True, encoding="utf-8", errors="replace", check=False,
            )  # fmt: skip
        except OSError as error:
            raise InputError(_named(stack), [f"{plain}: {self.command[0]} cannot be run: {error.strerror}"]) from None
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise InputError(_named(stack), [f"{plain}: {lines[-1].removeprefix('error: ')}"])
        return done.stdout

    def answer(self, *words: str, stack: str | None = None) -> Any:
        """The JSON of a command. Raises InputError if it fails, or prints anything else."""
        return json_value(self.read(*words, stack=stack), self.source(*words, stack=stack))

    def source(self, *words: str, stack: str | None = None, fix: str = _FIX) -> Source:
        """The name of a command's answer in errors. fix: the change to make."""
        return Source(name=f"`{self.shown} {_shown(words)}` of {_named(stack)}", fix=fix, program=True)

    def run(self, *words: str, stack: str) -> int:
        """Runs an interactive command; returns its exit code."""
        return subprocess.run([*self.command, *words, "--stack", stack], check=False).returncode

    def stacks(self) -> list[str]:
        """The stacks of the project around the current folder."""
        from gpucluster.operate.account.answers import StackName

        source = Source(name=f"`{self.shown} stack ls`", fix=_FIX, program=True)
        found = typed(json_value(self.read("stack", "ls", "--json"), source), list[StackName], source)
        return [stack.name for stack in found]


def _named(stack: str | None) -> str:
    return f"stack {stack}" if stack else "the selected stack"


def _shown(words: tuple[str, ...]) -> str:
    return " ".join(word for word in words if not word.startswith("-"))


def users_pulumi(why: str, instead: str) -> Pulumi:
    """The Pulumi on PATH. Raises InputError if there is none. why: its purpose. instead: the alternative without it."""
    program = shutil.which("pulumi")
    if program is None:
        raise InputError(
            f"pulumi is not on PATH, but is needed to {why}: install it (pulumi.com/docs/install); {instead}"
        )
    return Pulumi(command=(program,), shown="pulumi")


def sandbox_pulumi(options: Mapping[str, Any]) -> Pulumi:
    """The Pulumi of the sandbox. options: the options before its command."""
    given = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    command = (sys.executable, "-P", "-m", "gpucluster", "sandbox", *given, "pulumi")
    return Pulumi(command=command, shown="gpucluster sandbox pulumi")

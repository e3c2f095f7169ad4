"""One side of a change: its files, the environment of its program, and Pulumi in a sandbox of its own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import gpucluster.sandbox
from gpucluster.checkout import python_path, with_files
from gpucluster.cost.preview import BUDGET_VARIABLE
from gpucluster.errors import Fault
from gpucluster.operate.pull_request.revisions import Repository, Revision
from gpucluster.sandbox.project.project import Project, find_project
from gpucluster.sandbox.state.state import all_states

LOCKS: Final = ("*.lock", "requirements*.txt", "package-lock.json", "yarn.lock", "pnpm-lock.yaml")
"""Files, by name, that determine the packages of a program."""

_LONGEST_REASON: Final = 2_000
_CUT_OFF: Final = "the client connection is closing"
"""What the engine says of a resource that it was about to create when another one failed."""


class SideFailed(Fault):
    """A command of one side failed; the message is its error text."""


def locks_changed(changed: Iterable[str]) -> bool:
    """Whether the two sides may need different packages."""
    return any(fnmatch(Path(name).name, pattern) for name in changed for pattern in LOCKS)


@dataclass(frozen=True)
class Side:
    """
    repository, revision: the source of the files.
    project: folder of the Pulumi project in the repository, `.` for its root.
    files: a folder with all of them.
    environment: folder of the virtual environment and tools: the working tree's, or `files`.
    """

    repository: Repository
    revision: Revision
    project: Path
    files: Path
    environment: Path

    def install(self, setup: str) -> None:
        """Creates the environment of this side by its own command. Raises SideFailed."""
        done = _finished(shlex.split(setup), self.environment / self.project)
        if done.returncode:
            raise SideFailed(f"`{setup}` failed: {_errors(done.stdout + done.stderr)}")

    def stacks(self) -> list[str]:
        """The stacks with a configuration file."""
        project = self._project(self.files)
        return project.stacks() if project else []

    def copy(self, folder: Path) -> Side:
        """The same files in another folder, with the same environment, for a sandbox of its own."""
        shutil.copytree(self.files, folder, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".tools"))
        copied = Side(self.repository, self.revision, self.project, folder, self.environment)
        original = self._project(self.environment)
        virtualenv = original.virtualenv if original else None
        if virtualenv is not None and virtualenv.is_relative_to(self.environment) and virtualenv.exists():
            link = folder / virtualenv.relative_to(self.environment)
            if not link.exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(virtualenv, target_is_directory=True)
        return copied

    @property
    def store(self) -> Path:
        """The folder of its sandbox's state and clouds."""
        return self.files / self.project / ".sandbox"

    def up(self, stack: str) -> None:
        """Builds a stack in the sandbox. Raises SideFailed."""
        done = self._pulumi("up", "--yes", "--skip-preview", "--stack", stack)
        if done.returncode:
            raise SideFailed(self._reason(done))

    def resources(self, stack: str) -> list[Mapping[str, Any]]:
        """The resources of a stack in the sandbox's state."""
        project = self._project(self.files)
        states = all_states(project) if project else []
        found = [resource for state in states if state.stack == stack for resource in state.resources]
        return [
            {**one, "sourcePosition": with_files(one["sourcePosition"], self.files)} if "sourcePosition" in one else one
            for one in found
        ]

    def plan(self, stack: str) -> str:
        """The plan of a stack as JSON, complete or with the errors that ended it; also over a budget that is set to
        fail.

        Raises SideFailed if there is none.
        """
        done = self._pulumi(
            "preview", "--json", "--show-sames", "--stack", stack, variables={BUDGET_VARIABLE: "report"}
        )
        if not done.stdout.lstrip().startswith("{"):
            raise SideFailed(self._reason(done))
        return with_files(done.stdout, self.files)

    def rehearse(self, stack: str, files: Sequence[Path]) -> str:
        """The outcome of the jobs in these files on the live cluster of a stack, as JSON; the cluster is stopped
        afterwards.

        Raises SideFailed if they can't be rehearsed.
        """
        try:
            done = self._pulumi("up", "--yes", "--skip-preview", "--stack", stack, before=("--kubernetes", "live"))
            if not done.returncode:
                done = self._run("rehearse", *map(str, files), "--stack", stack, "--format", "json", "--quiet")
        finally:
            self._run("sandbox", "stop", "--stack", stack)
        if not done.stdout.lstrip().startswith("{"):
            raise SideFailed(self._reason(done))
        return done.stdout

    def _pulumi(
        self, *args: str, before: Sequence[str] = (), variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """before: options of the sandbox."""
        command = ("sandbox", *before, "pulumi", *args, "--color", "never", "--non-interactive")
        return self._run(*command, variables=variables)

    def _run(self, *args: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        # The tools must not import from the project's folder.
        command = [str(self._python()), "-P", "-m", "gpucluster", *args]
        own = self._code()
        code = {"PYTHONPATH": python_path(own)} if own else {}
        return _finished(command, self.files / self.project, {**code, **(variables or {})})

    def _reason(self, done: subprocess.CompletedProcess[str]) -> str:
        text = with_files(_errors(done.stdout + done.stderr), self.files).replace(f"{self.files}/", "")
        return text or f"it ended with exit code {done.returncode}"

    def _code(self) -> Path | None:
        """The tools' folder if they are part of the project; then each side runs its own."""
        tools = Path(gpucluster.sandbox.__file__ or "").resolve().parents[1]
        return self.files if tools == self.repository.root.resolve() else None

    def _python(self) -> Path:
        """The interpreter of this side's tools: from its own environment if the tools are part of the project."""
        if self._code() is None or self.environment == self.repository.root:
            return Path(sys.executable)
        return self.environment / ".venv" / "bin" / "python"

    def _project(self, root: Path) -> Project | None:
        return find_project(root / self.project)


def _finished(
    command: list[str], folder: Path, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in ("PULUMI_STACK", "PYTHONPATH")}
    environment = {**inherited, "NO_COLOR": "1", **(variables or {})}
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", f"error: {command[0]}: {error.strerror}")


def _errors(text: str) -> str:
    """The lines from the first error on, limited for the reader; of resources cut off by another only if alone."""
    every = [line.strip() for line in text.splitlines()]
    causes = [line for line in every if not (line.startswith("error:") and _CUT_OFF in line)]
    lines = causes if any(line.startswith("error:") for line in causes) else every
    start = next((index for index, line in enumerate(lines) if line.startswith("error:")), max(len(lines) - 10, 0))
    return "\n".join(line for line in lines[start:] if line)[:_LONGEST_REASON]

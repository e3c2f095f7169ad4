"""The two revisions of a change: commits and files from git, the environment of the program, and a sandbox for each."""

from __future__ import annotations

import datetime
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import gpucluster.sandbox
from gpucluster.checkout import python_path, with_files
from gpucluster.core.program.values import is_object
from gpucluster.core.text.json_text import parse
from gpucluster.cost.preview import BUDGET_VARIABLE
from gpucluster.errors import Fault, InputError
from gpucluster.sandbox.project.project import Project, find_project
from gpucluster.sandbox.state.state import all_states


@dataclass(frozen=True)
class Revision:
    """A state of all files: its commit, and its tree, which includes uncommitted changes if there are some."""

    commit: str
    tree: str
    uncommitted: bool = False


@dataclass(frozen=True)
class Repository:
    """A git repository, read-only: objects of the working tree are written to `scratch`.

    root: the top folder of the working tree. scratch: an empty folder.
    """

    root: Path
    scratch: Path

    @classmethod
    def around(cls, folder: Path, scratch: Path) -> Repository:
        """The repository of a folder. Raises InputError if there is none."""
        try:
            found = _git("rev-parse", "--show-toplevel", folder=folder)
        except InputError as error:
            raise InputError(f"{folder} is not in a git repository: {error}") from None
        return cls(Path(found.strip()), scratch)

    def base(self, revision: str) -> Revision:
        """The base of the change from `revision`: the merge-base of the two, or its first parent if HEAD merges it.

        Raises InputError for an unknown revision or one without a common ancestor with HEAD.
        """
        try:
            self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except InputError:
            raise InputError(f"base {revision!r} is not a commit here; {self._remedy()}") from None
        try:
            commit = self._run("merge-base", revision, "HEAD").strip()
        except InputError:
            raise InputError(
                f"base {revision!r} and HEAD have no commit in common; in a shallow clone, fetch more of the history"
            ) from None
        return Revision(commit, self._run("rev-parse", f"{commit}^{{tree}}").strip())

    def _remedy(self) -> str:
        if self._run("rev-parse", "--is-shallow-repository").strip() == "true":
            return "this is a shallow clone: fetch more of it, by `fetch-depth: 2` of actions/checkout"
        return "write a branch, a tag or a commit"

    def head(self, base: Revision) -> Revision:
        """The working tree as it is. Its commit is HEAD, or the second parent if HEAD merges it into the base."""
        first, *others = self._run("rev-list", "--parents", "-n", "1", "HEAD").split()[1:] or [""]
        commit = others[0] if first == base.commit and len(others) == 1 else self._run("rev-parse", "HEAD").strip()
        index = {"GIT_INDEX_FILE": str(self.scratch / "working-tree")}
        self._run("read-tree", "HEAD", variables=index)
        self._run("add", "--all", variables=index)
        tree = self._run("write-tree", variables=index).strip()
        return Revision(commit, tree, tree != self._run("rev-parse", "HEAD^{tree}").strip())

    def changed(self, base: Revision, head: Revision) -> tuple[str, ...]:
        """Paths of the differing files."""
        names = self._run("diff", "--name-only", "--no-renames", "-z", base.tree, head.tree)
        return tuple(name for name in names.split("\0") if name)

    def mentions(self, revision: Revision, pattern: str) -> bool:
        """Whether a text file matches an extended regular expression."""
        try:
            self._run("grep", "--name-only", "-I", "--extended-regexp", "-e", pattern, revision.tree)
        except InputError:  # git fails where it finds nothing
            return False
        return True

    def export(self, revision: Revision, folder: Path, only: Path | None = None) -> None:
        """Writes all files of a revision into a new folder, or one file or folder of it."""
        folder.mkdir(parents=True)
        index = {"GIT_INDEX_FILE": str(folder.with_name(f"{folder.name}.index"))}
        self._run("read-tree", revision.tree, variables=index)
        names = ["--all"]
        if only is not None:
            literal = {**index, "GIT_LITERAL_PATHSPECS": "1"}
            names = ["--", *self._run("ls-files", "-z", "--", str(only), variables=literal).split("\0")[:-1]]
        if names != ["--"]:
            self._run("checkout-index", f"--prefix={folder}/", *names, variables=index)

    def inside(self, path: Path) -> Path | None:
        """A path relative to the root; None outside of the repository."""
        resolved, root = path.resolve(), self.root.resolve()
        return resolved.relative_to(root) if resolved.is_relative_to(root) else None

    def of_base(self, path: Path, base: str, into: Path) -> Path | None:
        """A file or folder as the base has it, below the empty folder `into`; itself if outside of the repository.

        None if the base has none.
        """
        inside = self.inside(path)
        if inside is None:
            return path
        self.export(self.base(base), into / "files", inside)
        written = into / "files" / inside
        return written if written.exists() else None

    @cached_property
    def _objects(self) -> dict[str, str]:
        """Variables that direct new objects to the scratch folder."""
        own = self.scratch / "objects"
        own.mkdir(exist_ok=True)
        there = Path(self.root, _git("rev-parse", "--git-path", "objects", folder=self.root).strip())
        return {"GIT_OBJECT_DIRECTORY": str(own), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(there)}

    def _run(self, *args: str, variables: Mapping[str, str] | None = None) -> str:
        return _git(*args, folder=self.root, variables={**self._objects, **(variables or {})})


def _git(*args: str, folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """The output of a git command. Raises InputError with git's own first line."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *args],
            cwd=folder,
            env={**inherited, **(variables or {})},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise InputError("git is not on the PATH; install it, or run this where it is") from None
    if done.returncode:
        raise InputError((done.stderr.strip().splitlines() or [f"git {args[0]} failed"])[0])
    return done.stdout


LOCKS: Final = ("*.lock", "requirements*.txt", "package-lock.json", "yarn.lock", "pnpm-lock.yaml")
"""Files, by name, that determine the packages of a program."""

_LONGEST_REASON: Final = 2_000
_CUT_OFF: Final = "the client connection is closing"
"""The engine's message on a resource that it was about to create when another one failed."""


class CheckoutFailed(Fault):
    """A command of one side failed; the message is its error text."""


def locks_changed(changed: Iterable[str]) -> bool:
    """Whether the two sides may need different packages."""
    return any(fnmatch(Path(name).name, pattern) for name in changed for pattern in LOCKS)


@dataclass(frozen=True)
class Checkout:
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
        """Creates the environment of this side by its own command. Raises CheckoutFailed."""
        done = _finished(shlex.split(setup), self.environment / self.project)
        if done.returncode:
            raise CheckoutFailed(f"`{setup}` failed: {_errors(done.stdout + done.stderr)}")

    def stacks(self) -> list[str]:
        """The stacks with a configuration file."""
        project = self._project(self.files)
        return project.stacks() if project else []

    def copy(self, folder: Path) -> Checkout:
        """The same files in another folder, with the same environment, for a separate sandbox."""
        shutil.copytree(self.files, folder, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".tools"))
        copied = Checkout(self.repository, self.revision, self.project, folder, self.environment)
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
        """Builds a stack in the sandbox. Raises CheckoutFailed."""
        done = self._pulumi("up", "--yes", "--skip-preview", "--stack", stack)
        if done.returncode:
            raise CheckoutFailed(self._reason(done))

    def resources(self, stack: str) -> list[Mapping[str, Any]]:
        """The resources of a stack in the sandbox's state."""
        project = self._project(self.files)
        states = all_states(project) if project else []
        found = [resource for state in states if state.stack == stack for resource in state.resources]
        return [
            {**one, "sourcePosition": with_files(one["sourcePosition"], self.files)} if "sourcePosition" in one else one
            for one in found
        ]

    def has_day(self, day: datetime.date) -> bool:
        """Whether a file has the day, as YYYY-MM-DD or as the numbers of a call such as `date(2026, 12, 31)`."""
        return self.repository.mentions(
            self.revision, f"{day.year}[^0-9]{{1,10}}0?{day.month}[^0-9]{{1,10}}0?{day.day}([^0-9]|$)"
        )

    def plan(self, stack: str) -> str:
        """The plan of a stack as JSON, complete or with the errors that ended it; also over a budget that is set to
        fail.

        Raises CheckoutFailed if there is none.
        """
        done = self._pulumi(
            "preview", "--json", "--show-sames", "--stack", stack, variables={BUDGET_VARIABLE: "report"}
        )
        if not done.stdout.lstrip().startswith("{"):
            raise CheckoutFailed(self._reason(done))
        return with_files(done.stdout, self.files)

    def policy_events(self, stack: str, packs: Sequence[Path]) -> list[Mapping[str, Any]]:
        """The findings of policy packs in a preview, as events of the engine.

        Raises CheckoutFailed if they did not run.
        """
        log = self.files.with_name(f"{self.files.name}.events")
        options = [option for pack in packs for option in ("--policy-pack", str(pack))]
        # The engine's JSON has no findings.
        done = self._pulumi(
            *("preview", "--stack", stack, "--event-log", str(log), *options),
            variables={BUDGET_VARIABLE: "report", "PULUMI_DEBUG_COMMANDS": "true"},
        )
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
        events = [event for line in lines if is_object(event := parse(line))]
        found = [event["policyEvent"] for event in events if is_object(event.get("policyEvent"))]
        if done.returncode and not any(one.get("enforcementLevel") == "mandatory" for one in found):
            raise CheckoutFailed(self._reason(done))
        return found

    def rehearse(self, stack: str, files: Sequence[Path]) -> str:
        """The outcome of the jobs in these files on the live cluster of a stack, as JSON; the cluster is stopped
        afterwards.

        Raises CheckoutFailed if they can't be rehearsed.
        """
        try:
            done = self._pulumi("up", "--yes", "--skip-preview", "--stack", stack, before=("--kubernetes", "live"))
            if not done.returncode:
                done = self._run("rehearse", *map(str, files), "--stack", stack, "--format", "json", "--quiet")
        finally:
            self._run("sandbox", "stop", "--stack", stack)
        if not done.stdout.lstrip().startswith("{"):
            raise CheckoutFailed(self._reason(done))
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

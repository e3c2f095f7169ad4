"""The two sides of a change, from git: their commits, differences, and files in separate folders."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpucluster.errors import InputError


@dataclass(frozen=True)
class Revision:
    """A state of all files: its commit, and its tree, which includes uncommitted changes."""

    commit: str
    tree: str


@dataclass(frozen=True)
class Repository:
    """A git repository, read-only: objects of the working tree are written to `scratch`.

    root: the top folder of the working tree. scratch: an empty folder of ours.
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
            raise InputError(f"base {revision!r} is not a commit here; write a branch, a tag or a commit") from None
        try:
            commit = self._run("merge-base", revision, "HEAD").strip()
        except InputError:
            raise InputError(
                f"base {revision!r} and HEAD have no commit in common; in a shallow clone, fetch more of the history"
            ) from None
        return Revision(commit, self._run("rev-parse", f"{commit}^{{tree}}").strip())

    def head(self, base: Revision) -> Revision:
        """The working tree as it is. Its commit is HEAD, or the second parent if HEAD merges it into the base."""
        first, *others = self._run("rev-list", "--parents", "-n", "1", "HEAD").split()[1:] or [""]
        commit = others[0] if first == base.commit and len(others) == 1 else self._run("rev-parse", "HEAD").strip()
        index = {"GIT_INDEX_FILE": str(self.scratch / "working-tree")}
        self._run("read-tree", "HEAD", variables=index)
        self._run("add", "--all", variables=index)
        return Revision(commit, self._run("write-tree", variables=index).strip())

    def changed(self, base: Revision, head: Revision) -> tuple[str, ...]:
        """Paths of the differing files."""
        names = self._run("diff", "--name-only", "--no-renames", "-z", base.tree, head.tree)
        return tuple(name for name in names.split("\0") if name)

    def export(self, revision: Revision, folder: Path) -> None:
        """Writes all files of a revision into a new folder."""
        folder.mkdir(parents=True)
        index = {"GIT_INDEX_FILE": str(folder.with_name(f"{folder.name}.index"))}
        self._run("read-tree", revision.tree, variables=index)
        self._run("checkout-index", "--all", f"--prefix={folder}/", variables=index)

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

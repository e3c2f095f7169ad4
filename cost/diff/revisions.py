"""Git revisions as sides of a change: each is previewed in its own working tree; the current one is not touched."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from gpucluster.checkout import python_path, with_files
from gpucluster.errors import Fault, InputError
from gpucluster.textio.json_text import parse
from gpucluster.textio.project_file import read_project

__all__ = ["PreviewFailed", "commit_of", "plan_of", "preview_of"]

_LINES: Final = 12
"""Lines shown of a failed preview: the last ones contain the error."""


class PreviewFailed(Fault):
    """A revision cannot be previewed; the message says why."""


def commit_of(name: str) -> str:
    """The commit of a name in the repository of the working directory; empty if it is not a commit."""
    if name.startswith("-") or not name:
        return ""
    return _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").stdout.strip()


def preview_of(stack: str) -> tuple[str, ...]:
    """The command that previews a stack in the sandbox, with the gpucluster installed beside this Python."""
    gpucluster = Path(sys.executable).with_name("gpucluster")
    command = str(gpucluster) if gpucluster.exists() else "gpucluster"
    return (command, "sandbox", "pulumi", "preview", "--stack", stack, "--json", "--show-sames")


def plan_of(commit: str, command: Sequence[str], say: Callable[[str], None]) -> str:
    """The plan that `command` prints in a working tree of a commit. Raises PreviewFailed.

    The command runs in the folder of the tree that corresponds to the current one, with the tree's packages before
    installed ones; packages installed elsewhere, also in the project's virtual environment, remain the same.
    """
    here = _git("rev-parse", "--show-prefix").stdout.strip()
    with tempfile.TemporaryDirectory(prefix="cost-diff-") as made:
        tree = Path(made) / "tree"
        added = _git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        if added.returncode:
            raise PreviewFailed(f"git cannot check out {commit[:12]}: {added.stderr.strip()}")
        try:
            _lend_environment(tree / here, tree)
            return _run(commit, command, tree / here, tree, say)
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _lend_environment(folder: Path, tree: Path) -> None:
    """Links the virtual environment that the Pulumi project names into the tree, since git does not contain it."""
    projects = (above / "Pulumi.yaml" for above in (folder, *folder.parents) if above.is_relative_to(tree))
    project = next((path for path in projects if path.is_file()), None)
    if project is None:
        return
    try:
        named = read_project(project).virtualenv
    except InputError:
        return  # Pulumi will report the problem
    if not named:
        return
    top = _git("rev-parse", "--show-toplevel").stdout.strip()
    own, lent = Path(top) / project.parent.relative_to(tree) / named, project.parent / named
    if own.is_dir() and not lent.exists():
        lent.symlink_to(own.resolve(), target_is_directory=True)


def _run(commit: str, command: Sequence[str], folder: Path, tree: Path, say: Callable[[str], None]) -> str:
    shown = " ".join([Path(command[0]).name, *command[1:]])
    if not folder.is_dir():
        raise PreviewFailed(f"{commit[:12]} has no folder {folder.relative_to(tree)}; run this in a folder that it has")
    say(f"Previewing {commit[:12]}: {shown}")
    packages = os.pathsep.join(filter(None, [python_path(tree), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": packages}
    try:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    except OSError as error:
        raise PreviewFailed(f"{shown}: {error.strerror}") from None
    if run.returncode:
        said = _errors(run.stdout) or run.stderr.strip() or run.stdout.strip()
        last = "\n".join(said.splitlines()[-_LINES:])
        raise PreviewFailed(f"{shown} ended with exit code {run.returncode} at {commit[:12]}:\n{last}")
    return with_files(run.stdout, tree)


def _errors(output: str) -> str:
    """The error of a preview in JSON; empty without one."""
    try:
        said = parse(output)["diagnostics"]
        return "\n".join(str(one["message"]).strip() for one in said if one["severity"] == "error")
    except (ValueError, KeyError, TypeError):
        return ""


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True)
    except OSError as error:
        return subprocess.CompletedProcess(arguments, 127, "", str(error))

"""The two revisions of a change: files, or previews of commits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.checkout import python_path, with_files
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.readers.files import read_file
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import Resources
from gpucluster.core.text.json_text import parse
from gpucluster.core.text.project_file import read_project
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.estimate.usage import check_urns
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.errors import Fault, InputError

__all__ = ["PreviewFailed", "Revision", "commit_of", "plan_of", "preview_of", "sides_of"]


@dataclass(frozen=True, slots=True)
class Revision:
    """One side: its file, its resources, their cost, and the resources that its steps end.

    stack: its name, empty if it has no resource to take it from. steps: whether it is a plan, whose steps show what
    happens to existing resources.
    """

    title: str
    estimate: Estimate
    resources: Resources
    stack: str = ""
    steps: bool = False
    ended: tuple[Deletion, ...] = ()

    @property
    def urns(self) -> frozenset[str]:
        """URNs of its resources."""
        return frozenset(resource.urn for resource in self.resources)


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
    """The command that previews a stack in the sandbox, with the gpucluster of this Python."""
    gpucluster = Path(sys.executable).with_name("gpucluster")
    command = str(gpucluster) if gpucluster.exists() else "gpucluster"
    return (command, "sandbox", "pulumi", "preview", "--stack", stack, "--json", "--show-sames")


def plan_of(commit: str, command: Sequence[str], say: Callable[[str], None]) -> str:
    """The plan that `command` prints in a working tree of a commit. Raises PreviewFailed.

    The command runs in the folder of the tree that corresponds to the current one, with the tree's packages before
    installed ones; packages in other folders, also in the project's virtual environment, remain the same.
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
        text = _errors(run.stdout) or run.stderr.strip() or run.stdout.strip()
        last = "\n".join(text.splitlines()[-_LINES:])
        raise PreviewFailed(f"{shown} ended with exit code {run.returncode} at {commit[:12]}:\n{last}")
    return with_files(run.stdout, tree)


def _errors(output: str) -> str:
    """The error of a preview in JSON; empty without one."""
    try:
        diagnostics = parse(output)["diagnostics"]
        return "\n".join(str(one["message"]).strip() for one in diagnostics if one["severity"] == "error")
    except (ValueError, KeyError, TypeError):
        return ""


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True)
    except OSError as error:
        return subprocess.CompletedProcess(arguments, 127, "", str(error))


_STDIN = "-"


def sides_of(
    old: str, new: str, book: PriceBook, assumptions: Assumptions, preview: Callable[[str], str] | None = None
) -> tuple[Revision, Revision]:
    """Both sides. A name means a file, else a revision; `-` is stdin.

    preview: creates the plan of a commit, None if no command is given. NotReadable has one line for each unusable side;
    BadUsage lists resources of a usage file that neither side has.
    """
    if old == new == _STDIN:
        raise NotReadable("OLD and NEW are both stdin; give a file for one of them")
    problems: list[str] = []
    commits: dict[str, str] = {}
    sides: dict[str, Revision] = {}
    for name in dict.fromkeys((old, new)):
        try:
            if name != _STDIN and not Path(name).exists():
                commits[name] = _commit(name, preview)
            else:
                sides[name] = _side(name, _file(name), book, assumptions, is_file=True)
        except NotReadable as error:
            problems.append(str(error))
    for name, commit in commits.items():
        if preview is None or problems:
            break
        try:
            sides[name] = _side(name, preview(commit), book, assumptions, is_file=False)
        except NotReadable as error:
            problems.append(str(error))
    if problems:
        raise NotReadable("\n".join(problems))
    check_urns(assumptions, sides[old].urns | sides[new].urns)
    return sides[old], sides[new]


def _side(name: str, text: str, book: PriceBook, assumptions: Assumptions, *, is_file: bool) -> Revision:
    """One side. The plan of a revision starts from an empty state, so its steps show no losses of existing data."""
    what = _called(name)
    read = read_file(text, what)
    found = estimate(read.resources, book, assumptions)
    return Revision(what, found, read.resources, read.resources.stack, read.is_plan and is_file, read.ended)


def _called(name: str) -> str:
    return "stdin" if name == _STDIN else name


def _file(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise NotReadable(f"{_called(name)} is not text; give a plan or state file in JSON") from None
    except OSError as error:
        raise NotReadable(f"{_called(name)} cannot be read: {error.strerror}") from None


def _commit(name: str, preview: Callable[[str], str] | None) -> str:
    commit = commit_of(name)
    if not commit:
        raise NotReadable(f"{name!r} is neither a file nor a git revision here; give a plan or state file")
    if preview is None:
        raise NotReadable(
            f"{name!r} is a git revision: name the stack to preview, --stack aws-trial, or a command that prints its "
            "plan, --run 'pulumi preview --json --show-sames'"
        )
    return commit

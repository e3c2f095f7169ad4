"""Plan and state files, and git revisions, as the two sides of a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.diff.revisions import commit_of
from gpucluster.cost.diff.side import Side
from gpucluster.cost.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.usage import check_urns
from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.files import read_file

__all__ = ["sides_of"]

_STDIN = "-"


def sides_of(
    old: str, new: str, book: PriceBook, assumptions: Assumptions, preview: Callable[[str], str] | None = None
) -> tuple[Side, Side]:
    """Both sides. A name means a file, else a revision; `-` is stdin.

    preview: creates the plan of a commit, None if no command is given. NotReadable has one line for each unusable side;
    BadUsage lists resources of a usage file that neither side has.
    """
    if old == new == _STDIN:
        raise NotReadable("OLD and NEW are both stdin; give a file for one of them")
    problems: list[str] = []
    commits: dict[str, str] = {}
    sides: dict[str, Side] = {}
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


def _side(name: str, text: str, book: PriceBook, assumptions: Assumptions, *, is_file: bool) -> Side:
    """One side. The plan of a revision starts from an empty state, so its steps show no losses of existing data."""
    what = _called(name)
    read = read_file(text, what)
    found = estimate(read.resources, book, assumptions)
    return Side(what, found, read.resources, read.resources.stack, read.is_plan and is_file, read.ended)


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

"""Copies of state and ledger after the last command, and older states that Pulumi itself keeps.

The file backend keeps the state before the last write (`stacks/<project>/<stack>.json.bak`) and that after each update
(`history/<project>/<stack>/*.checkpoint.json`, `backups/<project>/<stack>/*.json`); nothing after `state delete` and
`stack import`, which do not change the time in the state either. Source: pulumi/pulumi pkg/backend/diy/state.go.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from gpucluster.sandbox import stacks
from gpucluster.sandbox.project import Project, replace_text
from gpucluster.sandbox.recovery.state import StackState, UnreadableStateError, read_state, state_files


def copy_of_state(project: Project, stack: str) -> Path:
    """The path of the copy of a stack's state."""
    return project.store.copies / project.name / f"{stack}.json"


def keep_copies(project: Project, of: Iterable[str]) -> None:
    """Copies the changes of the ending command; files that cannot be copied are left to the next command.

    of: the stacks of the command, whose states were not damaged before it.
    """
    with suppress(OSError):
        files = state_files(project)
        for stack in {*of} & {*files}:
            _keep_state(project, stack, files[stack])
        _keep_ledger(project)


def _keep_state(project: Project, stack: str, file: Path) -> None:
    """Never replaces a newer copy: an old export that was imported does not match the clouds."""
    copy = copy_of_state(project, stack)
    if file.suffix == ".gz" or (copy.exists() and copy.read_bytes() == file.read_bytes()):
        return
    with suppress(UnreadableStateError):
        if read_state(file, stack).written >= _written(copy, stack):
            _copy(file, copy)


def _written(file: Path, stack: str) -> float:
    try:
        return read_state(file, stack).written
    except UnreadableStateError:
        return 0.0


def _keep_ledger(project: Project) -> None:
    """Copies the ledger if it was written after its last copy; earlier copies are kept for a while."""
    store = project.store
    copy, *older = store.ledger_copies
    files = [file for file in (store.ledger, store.ledger.with_name(f"{store.ledger.name}-wal")) if file.exists()]
    if not files or (copy.exists() and max(map(_changed, files)) <= _changed(copy)):
        return
    copy.parent.mkdir(exist_ok=True)
    scratch = copy.with_name(f".{copy.name}.{os.getpid()}")
    scratch.touch(mode=0o600)
    with store.open_ledger() as ledger:
        ledger.copy_to(scratch, max(ledger.version, version_of(copy)) + 1)
    # Newer than the ledger, which was modified by closing it.
    scratch.touch()
    for target, source in reversed([*zip(older, [copy, *older], strict=False)]):
        if source.exists():
            source.replace(target)
    scratch.replace(copy)


def version_of(copy: Path) -> int:
    """The number of copies of the ledger when this copy was made; 0 for none. An open ledger has its own `version`.

    Read from the header of the closed database (sqlite.org/fileformat.html, 1.3.13): opening it would create files
    beside it.
    """
    if not copy.is_file():
        return 0
    with copy.open("rb") as file:
        return int.from_bytes(file.read(64)[60:], "big")


def _changed(file: Path) -> float:
    return file.stat().st_mtime


def forgot_state(project: Project, stack: str) -> None:
    """After `stack rm`: the stack's resources still in the clouds were released on purpose."""
    if not stacks.exists(project, stack):
        copy = copy_of_state(project, stack)
        copy.parent.mkdir(parents=True, exist_ok=True)
        latest = {"manifest": {"time": datetime.now(UTC).isoformat()}}
        replace_text(copy, json.dumps({"version": 3, "checkpoint": {"latest": latest}}), mode=0o600)


def newest_state(project: Project, stack: str) -> tuple[Path, StackState] | None:
    """The newest intact state of a stack other than the current one; None if there is none."""
    found = [whole for files in _kept(project, stack) for whole in _first_whole(files, stack)]
    return max(found, key=lambda whole: whole[1].written, default=None)


def _kept(project: Project, stack: str) -> Iterator[Iterable[Path]]:
    """The kinds of copies; of two with the same time, the first kind wins; within each kind, the newest first."""
    root = project.store.state / ".pulumi"
    yield [copy_of_state(project, stack)]
    yield [root / "stacks" / project.name / f"{stack}.json.bak"]
    for kind, name in (("history", "*.checkpoint.json"), ("backups", "*.json")):
        # Their names end with the time.
        yield sorted((root / kind / project.name / stack).glob(name), reverse=True)


def _first_whole(files: Iterable[Path], stack: str) -> Iterator[tuple[Path, StackState]]:
    for file in files:
        with suppress(UnreadableStateError):
            yield file, read_state(file, stack)
            return


def put_back(copy: Path | None, file: Path) -> None:
    """Replaces a file by a copy, or removes it; keeps the file beside it as *.damaged."""
    if file.exists():
        damaged = file.with_name(f"{file.name}.damaged")
        shutil.rmtree(damaged) if damaged.is_dir() else damaged.unlink(missing_ok=True)
        file.rename(damaged)
    for beside in (".attrs", "-wal", "-shm"):
        file.with_name(f"{file.name}{beside}").unlink(missing_ok=True)
    if copy is not None:
        _copy(copy, file)


def put_back_cut_states(project: Project) -> None:
    """Restores states that a full disk truncated; writes nothing without free space."""
    for stack, file in state_files(project).items():
        newest = newest_state(project, stack)
        if newest is not None and not _whole(file, stack):
            try:
                put_back(newest[0], file)
            except OSError:
                os.link(newest[0], file)


def _whole(file: Path, stack: str) -> bool:
    return any(_first_whole([file], stack))


def _copy(source: Path, target: Path) -> None:
    """Copies completely or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, scratch)
        scratch.chmod(0o600)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)

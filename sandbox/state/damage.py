"""Copies of state and ledger after the last command, and the replacement of a file that is lost or cannot be read.

Pulumi itself keeps the state before its last write, as `stacks/<project>/<stack>.json.bak`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import DamagedFileError, Project, replace_text
from gpucluster.sandbox.state.compare import Difference, compare, stack_of
from gpucluster.sandbox.state.state import (
    StackState,
    UnreadableStateError,
    all_states,
    once_recorded,
    read_state,
    state_files,
)


@dataclass(frozen=True)
class Damage:
    """A file that must not be used as it is.

    wrong: the damage, with the name of the file. copy: an intact one, None if there is none. stack: of the state, empty
    for the ledger. needed: whether resources are unknown without the file.
    """

    file: Path
    wrong: str
    copy: Path | None
    stack: str = ""
    needed: bool = True

    @property
    def final(self) -> bool:
        """Whether only `gpucluster sandbox reset` remains."""
        return self.copy is None and self.needed

    def __str__(self) -> str:
        if self.final:
            return f"{self.wrong}; no copy of it is left: `gpucluster sandbox reset` forgets everything"
        return str(DamagedFileError(self.wrong))


def differences(project: Project) -> list[Difference]:
    """The differences between states and clouds by stack; raises InputError for a damaged ledger or state."""
    refuse_damage(project)
    return compare(all_states(project), project.store.existing(), cache(lambda: once_recorded(project)))


def refuse_damage(project: Project, stack: str | None = None) -> None:
    """Raises InputError for damage to the ledger or to a state. stack: the only one that matters; by default all do."""
    if ledger := damaged_ledger(project):
        raise InputError(str(ledger))
    for damage in damaged_states(project):
        if stack in (None, damage.stack):
            raise InputError(str(damage))


def refuse_unreadable(project: Project, stack: str) -> None:
    """Raises InputError for a state that the engine cannot use."""
    file = state_files(project).get(stack)
    if file is not None and _readable(file, stack) is None:
        refuse_damage(project, stack)


def damaged_ledger(project: Project) -> Damage | None:
    """The damage of the ledger, None if it has none; raises InputError for an error of the disk."""
    store = project.store
    if store.ledger.is_file() and not store.ledger.stat().st_size:
        wrong = f"{store.ledger} is empty"
    elif store.ledger.exists():
        try:
            store.existing()
        except DamagedFileError as damage:
            return Damage(store.ledger, damage.wrong, store.whole_copy())
        return None
    else:
        wrong = f"{store.ledger} is missing"
    states = (_readable(file, stack) for stack, file in state_files(project).items())
    if store.ledger_copy.exists() or any(state.resources for state in states if state):
        return Damage(store.ledger, wrong, store.whole_copy())
    return None


def damaged_states(project: Project) -> list[Damage]:
    """The damage of the states, by stack; raises InputError for an unreadable ledger."""
    entries, files = project.store.existing(), state_files(project)
    names = {*files, *(stack_of(entry.urn) for entry in entries)} - {""}
    return [damage for stack in sorted(names) for damage in _damage(project, stack, files.get(stack), entries)]


def _damage(project: Project, stack: str, file: Path | None, entries: Iterable[Entry]) -> Iterator[Damage]:
    prefix = f"urn:pulumi:{stack}::{project.name}::"
    left = sum(entry.urn.startswith(prefix) for entry in entries)
    if file is not None:
        try:
            read_state(file, stack)
        except UnreadableStateError as error:
            yield Damage(file, str(error), _newest(project, stack)[0], stack, needed=bool(left))
        return
    copy, state = _newest(project, stack)
    # After a destroy or `stack rm` the newest state is empty, and the remaining resources were released.
    if left and (state is None or state.resources):
        file = project.store.states(project.name) / f"{stack}.json"
        wrong = f"the state {file} is missing, and the clouds have {left} resources of its stack"
        yield Damage(file, wrong, copy, stack)


def _newest(project: Project, stack: str) -> tuple[Path, StackState] | tuple[None, None]:
    """The newest intact state of a stack other than the current one; None if there is none."""
    backup = project.store.states(project.name) / f"{stack}.json.bak"
    files = (_copy_of_state(project, stack), backup)
    found = [(file, state) for file in files if (state := _readable(file, stack))]
    return max(found, key=lambda each: each[1].written, default=(None, None))


def _readable(file: Path, stack: str) -> StackState | None:
    try:
        return read_state(file, stack)
    except UnreadableStateError:
        return None


def _copy_of_state(project: Project, stack: str) -> Path:
    return project.store.copies / project.name / f"{stack}.json"


def keep_copies(project: Project, of: Iterable[str]) -> None:
    """Copies the intact states of these stacks, and the ledger if it is intact; what cannot be copied is left to the
    next command.
    """
    with suppress(OSError, InputError):
        files = state_files(project)
        for stack in {*of} & {*files}:
            if _readable(files[stack], stack):
                _copy(files[stack], _copy_of_state(project, stack))
        _keep_ledger(project)


def _keep_ledger(project: Project) -> None:
    """Copies the ledger if it was written after its copy."""
    store, copy = project.store, project.store.ledger_copy
    files = [file for file in (store.ledger, store.ledger.with_name(f"{store.ledger.name}-wal")) if file.exists()]
    changed = max((file.stat().st_mtime for file in files), default=0.0)
    if not files or (copy.exists() and changed <= copy.stat().st_mtime):
        return
    copy.parent.mkdir(exist_ok=True)
    scratch = copy.with_name(f".{copy.name}.{os.getpid()}")
    with store.open_ledger() as ledger:
        ledger.verify()
        scratch.touch(mode=0o600)
        ledger.copy_to(scratch)
    # Newer than the ledger, which was modified by closing it.
    scratch.touch()
    scratch.replace(copy)


def forgot_state(project: Project, stack: str) -> None:
    """After `stack rm`: the stack's resources still in the clouds were released on purpose."""
    if not stacks.exists(project, stack):
        copy = _copy_of_state(project, stack)
        copy.parent.mkdir(parents=True, exist_ok=True)
        latest = {"manifest": {"time": datetime.now(UTC).isoformat()}}
        replace_text(copy, json.dumps({"version": 3, "checkpoint": {"latest": latest}}), mode=0o600)


def put_back(copy: Path | None, file: Path) -> None:
    """Replaces a file by a copy, or removes it; keeps the file beside it as *.damaged."""
    if file.exists():
        damaged = file.with_name(f"{file.name}.damaged")
        shutil.rmtree(damaged) if damaged.is_dir() else damaged.unlink(missing_ok=True)
        file.rename(damaged)
    for suffix in (".attrs", "-wal", "-shm"):
        file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
    if copy is not None:
        _copy(copy, file)


def put_back_cut_states(project: Project) -> None:
    """Restores states that a full disk truncated; writes nothing without free space."""
    for stack, file in state_files(project).items():
        if _readable(file, stack) is None and (copy := _newest(project, stack)[0]) is not None:
            try:
                put_back(copy, file)
            except OSError:
                os.link(copy, file)


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

"""Detects a state or ledger that differs from the last command's: lost, truncated, or restored from an older time.

Each serves as evidence for the other. A state that lacks resources of the clouds is damaged if a newer state is known:
resources released on purpose, by an update (`retainOnDelete`) or by `state delete`, are not in the newest state either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.project import DamagedFileError, Project
from gpucluster.sandbox.recovery.compare import Difference, compare
from gpucluster.sandbox.recovery.copies import copy_of_state, newest_state, version_of
from gpucluster.sandbox.recovery.state import (
    InconsistentStateError,
    StackState,
    UnreadableStateError,
    is_cloud_resource,
    once_recorded,
    read_state,
    state_files,
)


@dataclass(frozen=True)
class Damage:
    """A file that must not be used as it is.

    wrong: the damage, with the name of the file.
    way_out: the remedy.
    stack: the stack of the state; empty for the ledger.
    copy: a replacement, None if there is none.
    made_anew: whether it can be rebuilt: the state from the ledger, the ledger from the states.
    inconsistent: whether it is a state that can be read, which the engine may be able to repair.
    left: resources of the clouds that would be in no state.
    """

    file: Path
    wrong: str
    way_out: str
    stack: str = ""
    copy: Path | None = None
    made_anew: bool = False
    inconsistent: bool = False
    left: tuple[Entry, ...] = ()

    def __str__(self) -> str:
        return f"{self.wrong}; {self.way_out}"

    @property
    def final(self) -> bool:
        """Whether only `gpucluster sandbox reset` remains: without a copy and a rebuild, only a state whose loss leaves
        no resource unknown can be removed.
        """
        return self.copy is None and not self.made_anew and (bool(self.left) or not self.stack)


def refuse_damage(project: Project, stack: str | None = None) -> None:
    """Raises InputError for damage to the ledger or to a state.

    stack: the only stack whose state matters; by default all do.
    """
    ledger = damaged_ledger(project)
    if ledger is not None:
        raise InputError(str(ledger))
    if stack is not None and _as_left(project, stack):
        return
    for damage in damaged_states(project):
        if stack in (None, damage.stack):
            raise InputError(str(damage))


def refuse_unreadable(project: Project, stack: str) -> None:
    """Raises InputError for a state that the engine cannot use; accepts one that is older than the last."""
    file = state_files(project).get(stack)
    if file is not None and _readable(file, stack) is None:
        refuse_damage(project, stack)


def is_sound(project: Project, stack: str) -> bool:
    """Whether the ledger and the state of a stack are undamaged."""
    try:
        refuse_damage(project, stack)
    except InputError:
        return False
    return True


def _as_left(project: Project, stack: str) -> bool:
    """Whether the state is byte for byte that of the last command, and intact."""
    file, copy = state_files(project).get(stack), copy_of_state(project, stack)
    same = file is not None and copy.exists() and file.read_bytes() == copy.read_bytes()
    return same and _readable(copy, stack) is not None


def damaged_ledger(project: Project) -> Damage | None:
    """The damage of the ledger, None if it has none; raises InputError for an error of the disk."""
    store = project.store
    copied = version_of(store.ledger_copies[0])
    if not store.ledger.exists():
        wrong = f"{store.ledger} is missing" if copied or _has_resources(project) else ""
    elif store.ledger.is_dir():
        wrong = f"{store.ledger} is a folder"
    else:
        wrong = _wrong_with_ledger(project, copied)
    return _repairable(project, wrong) if wrong else None


def _repairable(project: Project, wrong: str) -> Damage:
    """A repair by the copy of the last command; without one, by the states, which are newer than any older copy."""
    store = project.store
    copy = next(store.whole_copies(), None)
    known = all(_readable(file, stack) or newest_state(project, stack) for stack, file in state_files(project).items())
    made_anew = known and copy != store.ledger_copies[0]
    repair = "`gpucluster sandbox recover` repairs it" if copy or made_anew else "no copy of it is left, and no state"
    way_out = f"{repair}, `gpucluster sandbox reset` forgets everything"
    return Damage(store.ledger, wrong, way_out, copy=None if made_anew else copy, made_anew=made_anew)


def _has_resources(project: Project) -> bool:
    states = (_readable(file, stack) for stack, file in state_files(project).items())
    return any(is_cloud_resource(resource) for state in states if state for resource in state.resources)


def _wrong_with_ledger(project: Project, copied: int) -> str:
    store = project.store
    try:
        entries = store.existing()
        with store.open_ledger() as ledger:
            version = ledger.version
    except DamagedFileError as damage:
        return damage.wrong
    if version >= copied or not any(_differences(project, entries).values()):
        return ""
    return f"{store.ledger} is older than that of the last command, and the state does not agree with it"


def damaged_states(project: Project) -> list[Damage]:
    """The damage of the states, by stack; raises InputError for an unreadable ledger."""
    found = _differences(project, project.store.existing())
    return [damage for stack in sorted({*state_files(project), *found}) for damage in _damage(project, stack, found)]


def _differences(project: Project, entries: list[Entry]) -> dict[str, Difference]:
    """Differences between the clouds and the readable states."""
    states = [state for stack, file in state_files(project).items() if (state := _readable(file, stack))]
    return {found.stack: found for found in compare(states, entries, cache(lambda: once_recorded(project)))}


def _readable(file: Path, stack: str) -> StackState | None:
    try:
        return read_state(file, stack)
    except UnreadableStateError:
        return None


def _damage(project: Project, stack: str, found: dict[str, Difference]) -> Iterator[Damage]:
    difference = found.get(stack, Difference(stack))
    ours = f"urn:pulumi:{stack}::{project.name}::"
    left = tuple(entry for entry in [*difference.orphans, *difference.kept] if entry.urn.startswith(ours))
    file = state_files(project).get(stack)
    newest = newest_state(project, stack)
    inconsistent = False
    if file is None:
        file = project.store.states(project.name) / f"{stack}.json"
        # If the newest state is empty, the stack was destroyed or removed, and its remaining resources were released.
        missing = f"the state {file} is missing, and the clouds have {len(left)} resources of its stack"
        wrong = missing if left and (newest is None or newest[1].resources) else ""
    else:
        try:
            wrong = _wrong(project, file, read_state(file, stack), newest, agrees=not difference and not left)
        except UnreadableStateError as error:
            wrong, inconsistent = str(error), isinstance(error, InconsistentStateError)
    if wrong:
        yield _described(project, Damage(file, wrong, "", stack, left=left, inconsistent=inconsistent), newest)


def _wrong(
    project: Project, file: Path, state: StackState, newest: tuple[Path, StackState] | None, *, agrees: bool
) -> str:
    """The damage of a readable state, empty if it is usable; agrees: whether the clouds have its resources."""
    if agrees or newest is None or state.written > newest[1].written:
        return ""
    if state.written < newest[1].written:
        return f"the state {file}, of {_time(state)}, is older than the last, and the clouds do not agree with it"
    if newest[0] == copy_of_state(project, state.stack) and not _as_left(project, state.stack):
        return f"the state {file} is not as the last command left it, and the clouds do not agree with it"
    return ""


def _described(project: Project, damage: Damage, newest: tuple[Path, StackState] | None) -> Damage:
    """The damage of a state with its remedy."""
    recover, reset = (
        f"`gpucluster sandbox recover --stack {damage.stack}`",
        "`gpucluster sandbox reset` forgets everything",
    )
    if newest is not None:
        copy, state = newest
        shown = copy.relative_to(project.store.root)
        way_out = f"{recover} puts back that of {_time(state)} ({shown}), {reset}"
        return replace(damage, way_out=way_out, copy=copy)
    if not damage.left and not damage.inconsistent:
        return replace(damage, way_out=f"{recover} removes it: the clouds have nothing of this stack")
    with project.store.open_ledger() as ledger:
        made_anew = {entry.provider_ref for entry in damage.left} <= {*ledger.providers()}
    if damage.inconsistent:
        return replace(damage, way_out=f"{recover} tries to repair it, {reset}", made_anew=made_anew)
    if made_anew:
        return replace(damage, way_out=f"{recover} rebuilds it from the clouds, {reset}", made_anew=True)
    way_out = f"no copy of it is left, and the clouds have {_counted(damage.left)} of this stack: {reset}"
    return replace(damage, way_out=way_out)


def _counted(left: tuple[Entry, ...]) -> str:
    counted = Counter(entry.type for entry in left)
    return ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(counted.items()))


def _time(state: StackState) -> str:
    return datetime.fromtimestamp(state.written).astimezone().isoformat(" ", "seconds")

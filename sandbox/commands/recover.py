"""`gpucluster sandbox recover`: reconciles state and simulated clouds after a crash."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.type_guards import mapping
from gpucluster.errors import Fault, InputError
from gpucluster.options import stack_option
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import Project, current_project
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.damage import Damage, damaged_ledger, damaged_states, differences, keep_copies, put_back
from gpucluster.sandbox.state.locks import Lock, all_locks, cut_short, locks, refuse_living, settled
from gpucluster.sandbox.state.repair import Repair, export_deployment, import_deployment, plan_repair, repaired
from gpucluster.sandbox.state.state import StackState, all_states, state_files

_WORTH_A_WORD: Final = 1.0
"""Seconds of waiting after which a message is printed."""

_LEFT: Final = "`gpucluster sandbox reset` forgets everything"


@dataclass(frozen=True)
class _Case:
    """One stack and its repair."""

    stack: str
    locks: list[Lock]
    cut_short: list[Path]
    difference: Difference
    repair: Repair

    def __bool__(self) -> bool:
        return bool(self.locks or self.cut_short or self.difference)


@click.command()
@stack_option("Stack to recover.  [default: all of the project]")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
def recover(stack: str | None, dry_run: bool) -> None:
    """Repair state and clouds after a crash or a loss.

    Replaces a missing or damaged state or ledger by the copy of the last command. Removes the locks of dead processes,
    adopts resources that the clouds have and no state has, drops unfinished operations, refreshes resources that
    changed or were deleted, and waits for operations that the clouds still carry out. Prints nothing if there is
    nothing to do. It does not touch real accounts: docs/plan/recovery.md describes how to find what a crash left there.
    """
    project = current_project()
    if not project.store.root.exists():
        _refuse_unknown(project, stack)
        return
    if dry_run:
        _recover(project, stack, dry_run=True)
        return
    project.store.prepare()
    with project.store.in_use():
        _recover(project, stack, dry_run=False)
        keep_copies(project, state_files(project))


def _recover(project: Project, stack: str | None, *, dry_run: bool) -> None:
    if _mend(project, dry_run=dry_run) and dry_run:
        # Further repairs are visible only after this one.
        return
    _refuse_unknown(project, stack)
    for case in _cases(project, stack, wait=not dry_run):
        refuse_living(case.locks)
        for line in _report(case, would=dry_run):
            click.echo(line)
        if not dry_run:
            _do(project, case)


def _refuse_unknown(project: Project, stack: str | None) -> None:
    if stack is not None:
        stacks.refuse_unknown(project, stack)


def _mend(project: Project, *, dry_run: bool) -> bool:
    """Replaces damaged files by copies, the ledger first; returns whether any was damaged.

    Covers all stacks, even if only one is requested: an import by one stack determines the owner of the resource.
    """
    ledger = damaged_ledger(project)
    if ledger is not None:
        _put_back(project, ledger, dry_run=dry_run)
        if dry_run:
            return True
    states = damaged_states(project)
    for damage in states:
        _put_back(project, damage, dry_run=dry_run)
    return bool(ledger or states)


def _put_back(project: Project, damage: Damage, *, dry_run: bool) -> None:
    if damage.final:
        raise InputError(str(damage))
    refuse_living(settled(project, damage.stack) if damage.stack else all_locks(project.store))
    way = f"put {damage.copy.relative_to(project.store.root)} in its place" if damage.copy else "remove it"
    click.echo(f"{'Would recover' if dry_run else 'Recovering'} from damage: {damage.wrong}\n  {way}")
    if not dry_run:
        put_back(damage.copy, damage.file)


def _cases(project: Project, only: str | None, *, wait: bool) -> list[_Case]:
    """The repairs by stack; compares all stacks, even if only one is requested."""
    names = [only] if only else [state.stack for state in all_states(project)]
    held = {name: settled(project, name) if wait else locks(project, name) for name in names}
    if wait:
        _wait_for_the_clouds(project)
    # Only now: an engine that was exiting has written its last state.
    states = {state.stack: state for state in all_states(project)}
    with project.store.open_ledger() as ledger:
        providers = ledger.providers()
    found = {difference.stack: difference for difference in differences(project)}
    cases = (
        _case(project, name, held.get(name, []), found.get(name, Difference(name)), states.get(name), providers)
        for name in ([only] if only else sorted({*states, *found}))
    )
    return [case for case in cases if case]


def _wait_for_the_clouds(project: Project) -> None:
    """Waits until no operation is in progress in the clouds: their caller is dead, and they end without it."""
    while going := [entry.operation for entry in project.store.existing() if entry.operation is not None]:
        left = max(operation.left for operation in going)
        if left > _WORTH_A_WORD:
            click.echo(f"waiting {left:.0f} s for {len(going)} operations of the clouds to end", err=True)
        time.sleep(left)


def _case(
    project: Project,
    stack: str,
    held: list[Lock],
    difference: Difference,
    state: StackState | None,
    providers: Mapping[str, Mapping[str, Any]],
) -> _Case:
    return _Case(stack, held, cut_short(project, stack), difference, plan_repair(difference, state, providers))


def _report(case: _Case, *, would: bool) -> Iterable[str]:
    """The findings and their repair, a line each."""
    difference = case.difference
    yield f"{'Would recover' if would else 'Recovering'} the stack {case.stack} from a crash:"
    for lock in case.locks:
        yield f"  remove the lock of {lock}, which is dead"
    for file in case.cut_short:
        yield f"  remove the file {file.name}, which was cut short"
    for entry in case.repair.adopt:
        yield f"  adopt   {entry.type} {urn_name(entry.urn)} ({entry.id}): in the clouds, not in the state"
    for entry in case.repair.delete:
        yield f"  delete  {entry.type} {urn_name(entry.urn)} ({entry.id}): created twice, the state has the other"
    for entry in case.repair.leave:
        yield f"  left    {entry.type} {urn_name(entry.urn)} ({entry.id}): no provider of it is known; {_LEFT}"
    for resource, entry in difference.remade:
        yield f"  adopt   {entry.type} {urn_name(str(resource['urn']))} ({entry.id}): the replacement is already there"
    for resource in difference.ghosts:
        name = urn_name(str(resource["urn"]))
        yield f"  refresh {resource['type']} {name} ({resource.get('id')}): gone from the clouds"
    for resource in difference.changed:
        name = urn_name(str(resource["urn"]))
        yield f"  refresh {resource['type']} {name} ({resource.get('id')}): differs from the state"
    adopted = {entry.urn for entry in case.repair.adopt}
    for operation in difference.pending:
        resource = mapping(operation.get("resource"))
        if str(resource.get("urn")) not in adopted:
            name = urn_name(str(resource.get("urn")))
            yield f"  drop    {resource.get('type')} {name}: unfinished ({operation.get('type')})"


def _do(project: Project, case: _Case) -> None:
    for lock in case.locks:
        lock.remove()
    for file in case.cut_short:
        file.unlink(missing_ok=True)
    _delete(project, case.repair)
    difference = case.difference
    if case.repair.adopt or difference.remade or difference.pending:
        document = export_deployment(project, case.stack)
        deployment = repaired(mapping(document.get("deployment")), difference, case.repair)
        import_deployment(project, case.stack, {**document, "deployment": deployment})
    if difference.ghosts or difference.changed:
        _refresh(project, case.stack)


def _delete(project: Project, repair: Repair) -> None:
    """Removes resources from the clouds that no state can own, as a user would in a console."""
    if not repair.delete:
        return
    with project.store.open_ledger() as ledger:
        for entry in repair.delete:
            ledger.remove(entry.provider, entry.scope, entry.type, entry.id)


def _refresh(project: Project, stack: str) -> None:
    """Refreshes the state from the clouds."""
    from gpucluster.sandbox.run.run import run

    code = run(("refresh", "--yes", "--skip-preview", "--stack", stack, "--cwd", str(project.root)))
    if code != 0:
        raise Fault(f"the refresh of {stack} failed; see above, then run `gpucluster sandbox recover` again")

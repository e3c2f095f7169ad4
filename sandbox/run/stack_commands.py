"""The stack of a command: its private configuration, its creation, and its renaming without a change of the tree."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from gpucluster.core.text.terminal import note
from gpucluster.core.text.values import PROJECT_NAME
from gpucluster.errors import InputError
from gpucluster.sandbox.engine.engine import Engine
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.run.arguments import CommandLine
from gpucluster.sandbox.run.config_commands import WRITE_CONFIG, config_file
from gpucluster.sandbox.state.damage import differences, forgot_state, keep_copies, refuse_damage
from gpucluster.sandbox.state.locks import locks, refuse_living
from gpucluster.sandbox.state.state import is_cloud_resource, read_state, state_files

WITH_PROGRAM: Final = frozenset({"preview", "up", "destroy", "refresh", "import", "watch"})
_CREATE: Final = frozenset({("preview",), ("up",), ("config", "set"), ("config", "set-all")})
"""Commands that create their stack."""
_WITH_CONFIG_FILE: Final = WITH_PROGRAM | {"config", "logs"}


def with_stack(
    project: Project, line: CommandLine, engine: Engine, variables: Mapping[str, str], scratch: Path
) -> CommandLine:
    """The command line with its private configuration, after creating the stack if needed."""
    stack = stack_of_line(line, project)
    match line.words:
        case ("stack", "init"):
            return _init(project, line, engine, variables)
        case ("stack", "rename") if stack and len(line.operands) == 1:
            return _rename(project, line, stack, engine, variables)
        case ("stack", "select") if line.has("--create", "-c") and stack:
            _ensure(project, stack, engine, variables)
            return line.without("--create", "-c", takes_value=False)
        case ("stack", "rm") if not line.has("--preserve-config"):
            return CommandLine((*line.args, "--preserve-config"))
        case (command, *_) if command in _WITH_CONFIG_FILE:
            if stack is None:
                known = ", ".join(stacks.known(project)) or "none yet, and `preview --stack dev` creates dev"
                raise InputError(f"no stack is selected; add --stack NAME (in {project.stack_folder}: {known})")
            if command in WITH_PROGRAM:
                refuse_damage(project, stack)
                refuse_locked(project, stack, command)
            source = Path(line.value("--config-file") or project.stack_file(stack))
            creates = _creates(project, line, stack)
            if not creates:
                fix = f"; `gpucluster sandbox pulumi stack init {stack}` creates it"
                stacks.refuse_unknown(project, stack, source, fix=fix)
            if source.exists() or creates:
                _ensure(project, stack, engine, variables)
            if line.words in WRITE_CONFIG:
                return line.without("--config-file").with_flags("--config-file", str(config_file(project, line, stack)))
            private = scratch / f"Pulumi.{stack}.yaml"
            for key in stacks.private_config(project, stack, source, private):
                note(f"{key} is encrypted for a real account; the sandbox uses a placeholder")
            return line.without("--config-file").with_flags("--config-file", str(private))
        case _:
            return line


def _creates(project: Project, line: CommandLine, stack: str) -> bool:
    """Whether a command creates its stack, because nothing declares it. At a terminal the user decides; elsewhere a
    name like that of another stack may be misspelt.
    """
    if line.words not in _CREATE or line.has("--config-file") or stacks.is_declared(project, stack):
        return False
    close = stacks.similar(project, stack)
    if not stacks.known(project) or line.has("--non-interactive") or not _at_terminal():
        return close is None
    near = f" Did you mean {close}?" if close else ""
    return click.confirm(f"There is no stack {stack}.{near} Create it?", default=close is None, err=True)


def _at_terminal() -> bool:
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def refuse_locked(project: Project, stack: str, command: str) -> None:
    """Raises InputError for a command that would find the stack locked; a preview continues and warns of the lock."""
    living = [lock for lock in locks(project, stack) if not lock.dead]
    if command != "preview":
        refuse_living(living)
    elif living:
        note(f"The stack {stack} is in use: {living[0]} changes it now; this plan shows its progress so far")


def stack_of_line(line: CommandLine, project: Project) -> str | None:
    named = line.value("--stack", "-s") or os.environ.get("PULUMI_STACK")
    if line.words[:1] == ("stack",) and line.words[1:] in (("init",), ("select",), ("rm",)) and line.operands:
        named = line.operands[0]
    stack = named or stacks.selected(project)
    return stack.rsplit("/", 1)[-1] if stack else None


def _ensure(project: Project, stack: str, engine: Engine, variables: Mapping[str, str]) -> None:
    """Creates the stack in the sandbox's state unless it exists, and reports one without a file."""
    if stacks.exists(project, stack):
        return
    refuse_damage(project, stack)
    with project.store.locked("making", fcntl.LOCK_EX):
        if not stacks.exists(project, stack):
            stacks.make(project, stack, engine, variables)
            if not (file := project.stack_file(stack)).exists():
                note(f"Created the stack {stack}. Its configuration, if it needs any, is {os.path.relpath(file)}")


def _init(project: Project, line: CommandLine, engine: Engine, variables: Mapping[str, str]) -> CommandLine:
    """Runs `stack init NAME` in two steps: creates it without changing the working tree, then selects it."""
    stack = stack_of_line(line, project) if line.operands or line.has("--stack", "-s") else None
    if stack is None:
        raise InputError("name the stack to create: gpucluster sandbox pulumi stack init NAME")
    if stacks.exists(project, stack):
        raise InputError(
            f"the stack {stack!r} exists already; `gpucluster sandbox pulumi stack select {stack}` selects it"
        )
    _ensure(project, stack, engine, variables)
    note(f"Selected the stack {stack}")
    return CommandLine(("stack", "select", stack))


def _rename(
    project: Project, line: CommandLine, stack: str, engine: Engine, variables: Mapping[str, str]
) -> CommandLine:
    """Runs `stack rename NAME` in two steps, like `stack init`."""
    refuse_locked(project, stack, "stack rename")
    (new,) = line.operands
    rename(project, stack, new, engine, variables)
    note(f"Renamed the stack {stack} to {new}")
    return CommandLine(("stack", "select", new))


def rename(project: Project, old: str, new: str, engine: Engine, variables: Mapping[str, str]) -> None:
    """Renames a stack that no command changes. The user renames its file, because the sandbox never writes into the
    working tree. Raises InputError if that has not happened, or if the engine refuses.
    """
    _refuse(project, old, new)
    command = [str(engine.binary), "-C", str(stacks.project_for_init(project)), "stack", "rename", new]
    command += ["--stack", old, "--non-interactive"]
    done = subprocess.run(command, env=dict(variables), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"the stack {old!r} could not be renamed: {done.stderr.strip() or done.stdout.strip()}")
    _rename_in_ledger(project, old, new)
    forgot_state(project, old)
    keep_copies(project, [new])


def _refuse(project: Project, old: str, new: str) -> None:
    if PROJECT_NAME.fullmatch(new) is None:  # the rule of stacks, too
        raise InputError(
            f"{new!r} is no name of a stack in the sandbox; write 1 to 100 letters, digits, hyphens, underscores and "
            "periods, without organization and project"
        )
    before, after = project.stack_file(old), project.stack_file(new)
    if not stacks.exists(project, old):
        raise InputError(f"the sandbox has no stack {old!r}")
    if stacks.exists(project, new):
        raise InputError(f"the stack {new!r} exists already")
    if before.exists() and not after.exists():
        move = f"mv {os.path.relpath(before)} {os.path.relpath(after)}"
        raise InputError(f"the sandbox does not rename files of the working tree: run `{move}`, then run this again")
    if any(difference for difference in differences(project) if difference.stack == old):
        raise InputError(f"state and clouds disagree: run `gpucluster sandbox recover --stack {old}` first")


def _rename_in_ledger(project: Project, old: str, new: str) -> None:
    """Renames what the state owns. What it released keeps its URN, by which the history knows it."""
    before, after = (f"urn:pulumi:{stack}::{project.name}::" for stack in (old, new))
    resources = read_state(state_files(project)[new], new).resources
    owned = {
        (str(item["type"]), str(item.get("id")), str(item["urn"])) for item in resources if is_cloud_resource(item)
    }
    with project.store.open_ledger() as ledger:
        for reference, settings in ledger.providers().items():
            if reference.startswith(before):
                ledger.put_provider(after + reference.removeprefix(before), settings)
        for entry in ledger.all():
            urn = after + entry.urn.removeprefix(before)
            if entry.urn.startswith(before) and (entry.type, entry.id, urn) in owned:
                reference = entry.provider_ref.replace(before, after, 1)
                ledger.put(replace(entry, urn=urn, provider_ref=reference))

"""Runs one Pulumi command against the simulated clouds."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gpucluster.errors import InputError
from gpucluster.sandbox import disk, stacks
from gpucluster.sandbox.arguments import CommandLine
from gpucluster.sandbox.clouds.launcher import SOCKET_VARIABLE
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.plugins import install_launchers
from gpucluster.sandbox.clouds.resident import Resident
from gpucluster.sandbox.clouds.scenario import Scenario
from gpucluster.sandbox.clouds.sdk import Sdk, installed_sdks, site_packages
from gpucluster.sandbox.engine.debug_log import keep_no_log
from gpucluster.sandbox.engine.find import find_engine, say_on_stderr
from gpucluster.sandbox.engine.language_host.start import start_language_host
from gpucluster.sandbox.engine.model import INPUT_ERROR_FILE, WAITS_FILE, Engine
from gpucluster.sandbox.engine.yaml_host.build import put_yaml_host
from gpucluster.sandbox.environment import environment
from gpucluster.sandbox.imported import with_generator
from gpucluster.sandbox.missing_sdks import missing_sdks
from gpucluster.sandbox.named_types import named_types
from gpucluster.sandbox.process import StoppedError, run_engine
from gpucluster.sandbox.project import Project, find_project
from gpucluster.sandbox.protected import what_is_kept
from gpucluster.sandbox.recovery.damage import (
    forgot_state,
    keep_copies,
    put_back_cut_states,
    refuse_damage,
    refuse_unreadable,
)
from gpucluster.sandbox.recovery.locks import locks, refuse_living
from gpucluster.sandbox.refusals import reads_state, refuse_command
from gpucluster.sandbox.run_folder import scratch_folder
from gpucluster.textio.terminal import note, plain

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.kubernetes.real import RealServers
    from gpucluster.sandbox.clouds.ledger import Ledger

SIMULATED: Final = "simulated"
LIVE: Final = "live"

_WITH_PROGRAM: Final = frozenset({"preview", "up", "destroy", "refresh", "import", "watch"})
_WITH_LANGUAGE_HOST: Final = _WITH_PROGRAM | {"about", "install", "policy", "package"}
_WITH_CONFIG_FILE: Final = _WITH_PROGRAM | {"config", "logs"}

_MAY_CHANGE: Final = _WITH_PROGRAM | {"stack", "state"}
"""Commands after which state and ledger are copied."""

INPUT_ERROR: Final = 2
"""Exit code for an error in the user's input."""


def run(args: tuple[str, ...], scenario: Path | None = None, *, kubernetes: str = SIMULATED) -> int:
    """Runs `pulumi ARGS...`; returns its exit code.

    scenario: file of cloud events in addition to the program's requests.
    kubernetes: SIMULATED; real: a real API server validates and stores the objects; LIVE: also real controllers.

    Raises InputError for an error in the user's input and EngineError if there is no engine.
    """
    line = CommandLine.of(args)
    project = find_project(line.folder(Path.cwd()))
    if line.wants_help:
        return _help(find_engine(), line)
    if project is None:
        raise InputError(
            f"no Pulumi.yaml in {line.folder(Path.cwd())} or above; run this in a Pulumi project, or name one by --cwd"
        )
    refuse_command(line, project.stack_file(_stack(line, project) or "<stack>"))
    engine = find_engine()
    banner = "SIMULATED clouds: no account is used and nothing is billed."
    note(f"{banner} Engine {engine.version}, state in {_shown(project)}")
    return _run_in(project, line, engine, scenario, kubernetes)


def _help(engine: Engine, line: CommandLine) -> int:
    """Runs a command that reads no project; it also writes no files and does not check for a newer version."""
    with scratch_folder() as home:
        variables = {"PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "1"}
        command = [str(engine.binary), *line.args]
        return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode


def _shown(project: Project) -> str:
    relative = os.path.relpath(project.store.root)
    return relative if not relative.startswith("..") else str(project.store.root)


def _run_in(project: Project, line: CommandLine, engine: Engine, scenario: Path | None, kubernetes: str) -> int:
    project.store.prepare()
    stack = _stack(line, project)
    with project.store.in_use():
        if stack is not None and reads_state(line):
            refuse_unreadable(project, stack)
        try:
            code = _pulumi(project, line, engine, scenario, kubernetes)
        except StoppedError as stopped:
            put_back_cut_states(project)
            raise InputError(f"the command was stopped: {stopped}; then run `gpucluster sandbox recover`") from stopped
        if stack is not None and line.words[0] in _MAY_CHANGE:
            if line.words == ("stack", "rm") and code == 0:
                forgot_state(project, stack)
            keep_copies(project, [stack])
    if line.words[0] in _WITH_PROGRAM:
        _end_what_lost_its_cluster(project)
    if line.words[0] == "destroy":
        _say_what_is_kept(project, line)
    return code


def _end_what_lost_its_cluster(project: Project) -> None:
    if project.store.servers.is_dir():
        from gpucluster.sandbox.live.sweep import sweep

        sweep(project.store)


def _pulumi(project: Project, line: CommandLine, engine: Engine, scenario: Path | None, kubernetes: str) -> int:
    store = project.store
    sdks = installed_sdks(site_packages(project.virtualenv))
    install_launchers(store.home, sdks)
    if engine.origin == "built" and project.runtime == "yaml":
        put_yaml_host(store.home, say_on_stderr)
    keep_no_log(store.home / "logs")
    with scratch_folder() as scratch:
        # In the temporary folder: the path of a socket must be short.
        socket_path, refused, waits = scratch / "clouds", scratch / "input-error", scratch / "waits"
        variables = environment(os.environ, store) | _columns()
        variables |= {SOCKET_VARIABLE: str(socket_path), INPUT_ERROR_FILE: str(refused), WAITS_FILE: str(waits)}
        line = with_generator(line, project, engine, say_on_stderr, note)
        line = _with_stack(project, line, engine, variables, scratch)
        with ExitStack() as parts:
            needs_host = line.words[0] in _WITH_LANGUAGE_HOST
            host = parts.enter_context(start_language_host(engine, variables)) if needs_host else None
            ledger = parts.enter_context(store.open_ledger())
            happening = _happening(project, scenario, sdks, ledger)
            real = kubernetes != SIMULATED and line.words[0] in _WITH_PROGRAM
            servers = parts.enter_context(_real_servers(project, ledger, kubernetes)) if real else None
            resident = parts.enter_context(
                Resident(socket_path, sdks, ledger, store.log, happening, servers, named_types(project, line), waits)
            )
            if host is not None:
                variables = host.environment(variables)
            relayed = line.words[0] in _WITH_PROGRAM and not sys.stdout.isatty() and not line.has("--json", "-j")
            code = run_engine(
                [str(engine.binary), *line.args],
                variables,
                started=resident.start,
                relayed=relayed,
                obstacle=lambda: disk.obstacle(store.root, disk.LEAST),
            )
            code = INPUT_ERROR if code and refused.exists() else code
            if code and host is not None and host.died:
                _say_what_died(line)
            _say_what_it_means(resident)
            if servers is not None:
                _say_what_it_judged(servers)
    if code and line.words[0] in _WITH_PROGRAM:
        _say_what_is_missing(project, line, sdks)
        if (stack := _stack(line, project)) is not None:
            # A lock may have been taken between the first check and the engine's.
            _mind_who_is_at_work(project, stack, line.words[0])
    return code


def _happening(project: Project, file: Path | None, sdks: Mapping[str, Sdk], ledger: Ledger) -> Scenario:
    """The scenario of a file, after adding its existing resources to the clouds."""
    if file is None:
        return Scenario()
    # Imported late: it would delay every run without a scenario.
    from gpucluster.light_import import stand_in_for_the_sdk

    stand_in_for_the_sdk()
    from gpucluster.sandbox.other_stacks import put_other_stacks
    from gpucluster.sandbox.scenario_file import read_scenario
    from gpucluster.sandbox.seed import disturb, seed

    scenario = read_scenario(file)
    seed(scenario, sdks, ledger)
    disturb(scenario, ledger)
    put_other_stacks(project, scenario.stacks)
    return scenario


def _real_servers(project: Project, ledger: Ledger, kubernetes: str) -> RealServers:
    # Imported late: it would delay runs without API servers.
    from gpucluster.sandbox.api_server.binaries import find_binaries
    from gpucluster.sandbox.api_server.definitions import fetch_all
    from gpucluster.sandbox.clouds.kubernetes.real import RealServers
    from gpucluster.sandbox.live.companions import LiveCompanions
    from gpucluster.sandbox.live.programs import build_all

    binaries = find_binaries()
    if kubernetes == LIVE:
        build_all(say_on_stderr)
    for module, why in fetch_all().items():
        note(f"No definitions of {module}: {why}")
    return RealServers(project.store.servers, binaries, ledger, LiveCompanions(all_live=kubernetes == LIVE))


def _say_what_died(line: CommandLine) -> None:
    recover = "run `gpucluster sandbox recover`, then the same command again"
    again = "run the same command again" if line.words[0] == "preview" else recover
    click.echo(f"\nWhat this means: the process that runs the Python program was killed or crashed; {again}", err=True)


def _say_what_it_means(resident: Resident) -> None:
    if not resident.mishaps:
        return
    from gpucluster.sandbox.meaning import meanings

    for paragraph in meanings(resident.mishaps):
        click.echo(f"\nWhat this means: {plain(paragraph)}", err=True)


def _say_what_it_judged(servers: RealServers) -> None:
    from gpucluster.sandbox.api_server.binaries import VERSION

    click.echo("\n".join([*servers.verdict.lines(VERSION), *servers.settle()]), err=True)


def _columns() -> dict[str, str]:
    """The width of the user's terminal, for programs and packs, because their output goes to the engine."""
    return {"COLUMNS": str(shutil.get_terminal_size().columns)} if sys.stdout.isatty() else {}


def _say_what_is_kept(project: Project, line: CommandLine) -> None:
    stack = _stack(line, project)
    message = what_is_kept(project, stack) if stack else ""
    if message:
        click.echo(message, err=True)


def _say_what_is_missing(project: Project, line: CommandLine, sdks: Mapping[str, Sdk]) -> None:
    """Names a missing SDK: the engine only reports a missing plugin, not the SDK from which the sandbox would create
    it.
    """
    from gpucluster.sandbox.recovery.state import all_states

    stack = _stack(line, project)
    resources = [resource for state in all_states(project) if state.stack == stack for resource in state.resources]
    for missing in missing_sdks(resources, sdks):
        click.echo(missing, err=True)


def _with_stack(
    project: Project, line: CommandLine, engine: Engine, variables: Mapping[str, str], scratch: Path
) -> CommandLine:
    """The command line with its private configuration, after creating the stack if needed."""
    stack = _stack(line, project)
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
            if command in _WITH_PROGRAM:
                refuse_damage(project, stack)
                _mind_who_is_at_work(project, stack, command)
            source = Path(line.value("--config-file") or project.stack_file(stack))
            first = not line.has("--config-file") and stacks.creates_first(project, command)
            if not first:
                fix = f"; `gpucluster sandbox pulumi stack init {stack}` creates it"
                stacks.refuse_unknown(project, stack, source, fix=fix)
            if source.exists() or first:
                _ensure(project, stack, engine, variables)
            private = scratch / f"Pulumi.{stack}.yaml"
            for key in stacks.private_config(project, stack, source, private):
                note(f"{key} is encrypted for a real account; the sandbox uses a placeholder")
            return line.without("--config-file").with_flags("--config-file", str(private))
        case _:
            return line


def _mind_who_is_at_work(project: Project, stack: str, command: str) -> None:
    """Raises InputError for a command that would find the stack locked; a preview continues and warns of the lock."""
    living = [lock for lock in locks(project, stack) if not lock.dead]
    if command != "preview":
        refuse_living(living)
    elif living:
        note(f"The stack {stack} is in use: {living[0]} changes it now; this plan shows its progress so far")


def _stack(line: CommandLine, project: Project) -> str | None:
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
    stack = _stack(line, project) if line.operands or line.has("--stack", "-s") else None
    if stack is None:
        raise InputError("name the stack to create: gpucluster sandbox pulumi stack init NAME")
    if stacks.exists(project, stack):
        raise InputError(f"the stack {stack!r} exists already")
    _ensure(project, stack, engine, variables)
    return CommandLine(("stack", "select", stack))


def _rename(
    project: Project, line: CommandLine, stack: str, engine: Engine, variables: Mapping[str, str]
) -> CommandLine:
    """Runs `stack rename NAME` in two steps, like `stack init`."""
    from gpucluster.sandbox.rename import rename

    _mind_who_is_at_work(project, stack, "stack rename")
    (new,) = line.operands
    rename(project, stack, new, engine, variables)
    note(f"Renamed the stack {stack} to {new}")
    return CommandLine(("stack", "select", new))

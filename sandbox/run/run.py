"""Runs one Pulumi command against the simulated clouds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gpucluster.core.program.closing import FOLDER_VARIABLE, OUTPUT_VARIABLE, handed_over, in_full
from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.project_file import account_file
from gpucluster.core.text.terminal import note, plain
from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.launcher import SOCKET_VARIABLE
from gpucluster.sandbox.clouds.resident import TAKES_THE_HIGHEST, Resident, install_launchers
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, installed_sdks, site_packages
from gpucluster.sandbox.engine.engine import ACCEPTED_RANGE, INPUT_ERROR_FILE, WAITS_FILE, Engine, keep_no_log
from gpucluster.sandbox.engine.find import find_engine, say_on_stderr
from gpucluster.sandbox.engine.hosts import host_of_engine, host_on_path, link_host
from gpucluster.sandbox.engine.language_host.start import start_language_host
from gpucluster.sandbox.engine.yaml_host import put_yaml_host
from gpucluster.sandbox.machine import disk
from gpucluster.sandbox.machine.disk import scratch_folder
from gpucluster.sandbox.machine.process import StoppedError, run_engine
from gpucluster.sandbox.project.environment import CALLS_FILE, environment
from gpucluster.sandbox.project.project import Project, find_project
from gpucluster.sandbox.run.arguments import CommandLine, reads_state, refuse_command
from gpucluster.sandbox.run.closing import COMMANDS, print_closing
from gpucluster.sandbox.run.config_commands import WRITE_CONFIG, wrote_config
from gpucluster.sandbox.run.sdks import missing_sdks, named_types, unknown_types, with_generator
from gpucluster.sandbox.run.stack_commands import WITH_PROGRAM, refuse_locked, stack_of_line, with_stack
from gpucluster.sandbox.state.damage import forgot_state, keep_copies, put_back_cut_states, refuse_unreadable
from gpucluster.sandbox.state.state import UnreadableStateError, is_cloud_resource, read_state, state_files

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
    from gpucluster.sandbox.clouds.store.ledger import Ledger

SIMULATED: Final = "simulated"
LIVE: Final = "live"

_WITH_LANGUAGE_HOST: Final = WITH_PROGRAM | {"about", "install", "policy", "package"}

_MAY_CHANGE: Final = WITH_PROGRAM | {"stack", "state"}
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
    refuse_command(line, project.stack_file(stack_of_line(line, project) or "<stack>"))
    if line.words[0] in WITH_PROGRAM:
        in_full()  # refuses a wrong value here, before the engine starts a program
    engine = find_engine()
    if line.words[0] in WITH_PROGRAM:
        _refuse_without_host(project, engine)
    note("SIMULATED clouds: no account is used and nothing is billed.")
    note(f"Engine {engine.version}, state in {_shown(project)}")
    return _run_in(project, line, engine, scenario, kubernetes)


def _refuse_without_host(project: Project, engine: Engine) -> None:
    """Refuses a program in a language that no host here runs, before the engine starts a pack or a provider for it."""
    runtime, name = project.runtime, f"pulumi-language-{project.runtime}"
    known = runtime in _BUILT_HOSTS and engine.origin == "built"
    if runtime and not known and not (host_of_engine(engine, runtime) or host_on_path(runtime)):
        raise InputError(
            f"the program is in {runtime}, and its language host {name} is missing: the sandbox's own engine runs "
            f"Python and YAML; install Pulumi ({ACCEPTED_RANGE}) from https://www.pulumi.com/docs/install/, put it on "
            f"the PATH with {name}, and run the same command again"
        )


_BUILT_HOSTS: Final = ("python", "yaml")


def _in_another_language(project: Project) -> bool:
    """Whether the program needs a host, and SDKs, that are not of this environment."""
    return bool(project.runtime) and project.runtime not in _BUILT_HOSTS


def _put_host(project: Project, engine: Engine) -> None:
    """Links the host of the program's language where the engine looks; it ignores the PATH in the sandbox."""
    runtime, home = project.runtime, project.store.home
    if engine.origin == "built" and runtime == "yaml":
        put_yaml_host(home, say_on_stderr)
    elif _in_another_language(project) and not host_of_engine(engine, runtime):
        own = host_on_path(runtime)
        if own is not None:
            link_host(home, runtime, engine.version, own)


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
    stack = stack_of_line(line, project)
    if scenario is None and stack is not None and line.words[0] in WITH_PROGRAM:
        scenario = _account_of(project, stack)
    with project.store.in_use():
        if stack is not None and reads_state(line):
            refuse_unreadable(project, stack)
        try:
            code = _pulumi(project, line, engine, scenario, kubernetes)
        except StoppedError as stopped:
            put_back_cut_states(project)
            raise InputError(f"the command was stopped: {stopped}; then run `gpucluster sandbox recover`") from stopped
        if stack is not None and code == 0 and line.words in WRITE_CONFIG:
            wrote_config(project, line, stack)
        if stack is not None and line.words[0] in _MAY_CHANGE:
            if line.words == ("stack", "rm") and code == 0:
                forgot_state(project, stack)
            keep_copies(project, [stack])
    if line.words[0] in WITH_PROGRAM:
        _end_what_lost_its_cluster(project)
    if line.words[0] == "destroy":
        _say_what_is_kept(project, line)
    return code


def _account_of(project: Project, stack: str) -> Path | None:
    """The file of what the stack's account answered, a scenario too; None if it was not saved."""
    file = account_file(project.stack_folder, stack)
    if not file.is_file():
        return None
    note(f"Scenario: {file.relative_to(project.root)}, what the account answered; --scenario FILE takes another.")
    return file


def _end_what_lost_its_cluster(project: Project) -> None:
    if project.store.servers.is_dir():
        from gpucluster.sandbox.live.supervisor import sweep

        sweep(project.store)


def _pulumi(project: Project, line: CommandLine, engine: Engine, scenario: Path | None, kubernetes: str) -> int:
    store = project.store
    sdks = installed_sdks(site_packages(project.virtualenv))
    foreign = _in_another_language(project)
    install_launchers(store.home, sdks, any_version=foreign)
    _put_host(project, engine)
    keep_no_log(store.home / "logs")
    with scratch_folder() as scratch:
        # In the temporary folder: the path of a socket must be short.
        socket_path, refused, waits = scratch / "clouds", scratch / "input-error", scratch / "waits"
        variables = environment(os.environ, store) | _columns()
        variables |= {SOCKET_VARIABLE: str(socket_path), INPUT_ERROR_FILE: str(refused), WAITS_FILE: str(waits)}
        variables[CALLS_FILE] = str(scratch / "calls")
        variables |= TAKES_THE_HIGHEST if foreign else {}
        (closing := scratch / "closing").mkdir()
        variables[FOLDER_VARIABLE] = str(closing)
        if line.has("--json", "-j"):
            variables.setdefault(OUTPUT_VARIABLE, "full")
        line = with_generator(line, project, engine, say_on_stderr, note)
        line = with_stack(project, line, engine, variables, scratch)
        with ExitStack() as parts:
            needs_host = line.words[0] in _WITH_LANGUAGE_HOST
            host = parts.enter_context(start_language_host(engine, variables)) if needs_host else None
            ledger = parts.enter_context(store.open_ledger())
            happening = _happening(project, scenario, sdks, ledger, scratch / "calls")
            real = kubernetes != SIMULATED and line.words[0] in WITH_PROGRAM
            servers = parts.enter_context(_real_servers(project, ledger, kubernetes)) if real else None
            named = named_types(project, line)
            resident = Resident(socket_path, sdks, ledger, store.log, happening, servers, named, waits)
            resident.invents = line.words != ("import",)
            parts.enter_context(resident)
            if host is not None:
                variables = host.environment(variables)
            relayed = line.words[0] in WITH_PROGRAM and not sys.stdout.isatty() and not line.has("--json", "-j")
            code = run_engine(
                [str(engine.binary), *line.args],
                variables,
                started=resident.start,
                relayed=relayed,
                plain=line.value("--color") not in ("always", "raw"),
                obstacle=lambda: disk.obstacle(store.root, disk.LEAST),
            )
            reason = refused.read_text(encoding="utf-8") if code and refused.exists() else None
            code = code if reason is None else INPUT_ERROR
            if code and host is not None and host.died:
                _say_what_died(line)
            _say_what_it_means(resident)
            _say_what_to_set(resident.missing, stack_of_line(line, project))
            if servers is not None:
                _say_what_it_judged(servers)
        parts = handed_over(closing)
    if code and line.words[0] in WITH_PROGRAM:
        _say_what_is_missing(project, line, sdks)
        if (stack := stack_of_line(line, project)) is not None:
            # A lock may have been taken between the first check and the engine's.
            refuse_locked(project, stack, line.words[0])
    if line.words[0] in COMMANDS and not line.has("--json", "-j"):
        print_closing(parts, line, stack_of_line(line, project) or "", code, reason or "")
    return code


def _happening(project: Project, file: Path | None, sdks: Mapping[str, Sdk], ledger: Ledger, calls: Path) -> Scenario:
    """The scenario of a file, after adding its existing resources to the clouds."""
    if file is None:
        return Scenario()
    # Imported late: it would delay every run without a scenario.
    from gpucluster.core.light_import import install_empty_sdk

    install_empty_sdk()
    from gpucluster.sandbox.run.scenario_file import put_calls, put_other_stacks, read_scenario
    from gpucluster.sandbox.run.seed import disturb, seed

    scenario = read_scenario(file)
    seed(scenario, sdks, ledger)
    disturb(scenario, ledger)
    put_other_stacks(project, scenario.stacks)
    put_calls(calls, scenario.calls)
    return scenario


def _real_servers(project: Project, ledger: Ledger, kubernetes: str) -> RealServers:
    # Imported late: it would delay runs without API servers.
    from gpucluster.sandbox.api_server.binaries import find_binaries
    from gpucluster.sandbox.api_server.definitions import fetch_all
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
    from gpucluster.sandbox.live.cluster import LiveCompanions
    from gpucluster.sandbox.live.programs import NEEDED, build

    binaries = find_binaries()
    if kubernetes == LIVE:
        build(say_on_stderr, NEEDED)
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
    from gpucluster.sandbox.run.failure_explanations import meanings

    for paragraph in meanings(resident.mishaps):
        click.echo(f"\nWhat this means: {plain(paragraph)}", err=True)


def _say_what_to_set(missing: Mapping[str, str], stack: str | None) -> None:
    """Settings that a provider lacks, once for all of its resources. missing: key -> an example."""
    if missing:
        of = f" --stack {stack}" if stack else ""
        commands = [f"  gpucluster sandbox pulumi config set {key} {value}{of}" for key, value in missing.items()]
        are = "is" if len(missing) == 1 else "are"
        click.echo("\n".join([f"\nerror: {' and '.join(missing)} {are} missing; run:", *commands]), err=True)


def _say_what_it_judged(servers: RealServers) -> None:
    from gpucluster.sandbox.api_server.binaries import VERSION

    click.echo("\n".join([*servers.verdict.lines(VERSION), *servers.settle()]), err=True)


def _columns() -> dict[str, str]:
    """The width of the user's terminal, for programs and packs, because their output goes to the engine."""
    return {"COLUMNS": str(shutil.get_terminal_size().columns)} if sys.stdout.isatty() else {}


def _say_what_is_kept(project: Project, line: CommandLine) -> None:
    if message := kept(_resources(project, line), stack_of_line(line, project) or ""):
        click.echo(message, err=True)


def kept(resources: Sequence[Mapping[str, Any]], stack: str) -> str:
    """The protected resources, those kept as their dependencies, and the commands that release them.

    resources: those of the stack's state, as Pulumi writes them.
    """
    real = list(filter(is_cloud_resource, resources))
    protected = [item for item in real if item.get("protect")]
    if not protected:
        return ""
    lines = ["Kept, because it is protected:"]
    lines += [f"  {urn_name(str(item['urn']))}  {item['type']}  {item.get('id', '')}" for item in protected]
    others = Counter(str(item["type"]) for item in real if not item.get("protect"))
    if others:
        counted = ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(others.items()))
        lines.append(f"Also not deleted: resources that the protected ones depend on: {counted}")
    lines.append("Kept resources are still billed. To release them, then destroy again:")
    lines += [
        f"  gpucluster sandbox pulumi state unprotect --yes --stack {stack} '{item['urn']}'" for item in protected
    ]
    return "\n".join(lines)


def _resources(project: Project, line: CommandLine) -> Sequence[Mapping[str, Any]]:
    """Those of the stack's state; none if it cannot be read."""
    stack = stack_of_line(line, project) or ""
    file = state_files(project).get(stack)
    try:
        return read_state(file, stack).resources if file is not None else ()
    except UnreadableStateError:
        return ()


def _say_what_is_missing(project: Project, line: CommandLine, sdks: Mapping[str, Sdk]) -> None:
    """Names a missing SDK: the engine only reports a missing plugin, not the SDK from which the sandbox would create
    it.
    """
    for missing in missing_sdks(_resources(project, line), sdks):
        click.echo(missing, err=True)
    for lack in unknown_types(project, sdks):
        click.echo(f"error: {lack}", err=True)

"""`gpucluster rehearse`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TextIO

import click

from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.errors import Exit, InputError
from gpucluster.operate.rehearse.controller_logs import live_logs
from gpucluster.operate.rehearse.document import as_json, as_markdown, as_text
from gpucluster.operate.rehearse.objects import Manifest, read_manifests
from gpucluster.operate.rehearse.report import Report, report
from gpucluster.operate.rehearse.session import rehearse as run_on
from gpucluster.operate.rehearse.slurm import document as batch
from gpucluster.operate.rehearse.slurm.rehearsal import are_scripts, rehearsed_scripts
from gpucluster.options import form_of, output, quiet, stack_option
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.live.cluster import open_cluster
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import Project, current_project
from gpucluster.sandbox.state.compare import stack_of
from gpucluster.sandbox.state.state import state_files

_FORMS: Final = {"table": as_text, "json": as_json, "markdown": as_markdown}
_BATCH_FORMS: Final = {"table": batch.as_text, "json": batch.as_json, "markdown": batch.as_markdown}


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE...",
    help="Files with Kubernetes objects of any kind, - for stdin; or batch scripts for Slurm.",
)
@stack_option("Stack of the cluster.  [default: the selected one]")
@click.option("--namespace", "-n", metavar="NAME", help="Namespace of objects without one.  [default: default]")
@click.option("--up", is_flag=True, help="Build the stack in the sandbox first if it does not exist.")
@click.option(
    "--seconds",
    metavar="SECONDS",
    type=click.IntRange(min=5),
    default=45,
    show_default=True,
    help="Maximum wait for pods, or for nodes of a script.",
)
@click.option(
    "--together", is_flag=True, help="Submit all jobs at once, so that they share the cluster, instead of one by one."
)
@form_of(*_FORMS)
@output
@quiet
def rehearse(
    files: tuple[Path, ...],
    stack: str | None,
    namespace: str | None,
    up: bool,
    seconds: int,
    together: bool,
    form: str,
    output: TextIO,
    quiet: bool,
) -> None:
    """Rehearse jobs on a stack's cluster.

    Reports for each job whether it is admitted or why not, its nodes, switches and queue, what its machines cost an
    hour, what the API server or a policy refuses, and what pods wait for. Submits jobs one by one, each after the one
    before is deleted. Creates the objects in the sandbox, next to those of its cluster, and deletes all of them
    afterwards.

    Batch scripts (sbatch) are scheduled by Slurm itself on emulated nodes, if the spec has Slurm: reports the nodes,
    switches and GPUs of each, or why not and what to change. Needs no cluster; downloads Debian's Slurm once.

    Exit code 0: the reported jobs would run, or the autoscaler of their pool is not simulated. 1: some would not run.
    2: also if the stack does not exist.
    """

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    if are_scripts(files):
        _refuse_options(namespace, up=up)
        scripts = rehearsed_scripts(
            _stack(current_project(), stack), files, seconds=seconds, together=together, say=say
        )
        output.write(_BATCH_FORMS[form](scripts) + "\n")
        if not scripts.would_run:
            raise SystemExit(Exit.FINDINGS)
        return
    manifests = read_manifests(files, namespace)
    project = current_project()
    named = _stack(project, stack)
    if not _stands(project, named):
        stacks.refuse_unknown(project, named)
        _build(named, up=up)
    found = rehearsed(project, named, manifests, seconds=seconds, together=together, say=say)
    output.write(_FORMS[form](found) + "\n")
    if not found.would_run:
        raise SystemExit(Exit.FINDINGS)


def _refuse_options(namespace: str | None, *, up: bool) -> None:
    """Raises UsageError for options that have no meaning for batch scripts."""
    for option, given in (("--namespace", namespace is not None), ("--up", up)):
        if given:
            raise click.UsageError(f"{option} is for Kubernetes objects; remove it for batch scripts")


def rehearsed(
    project: Project,
    stack: str,
    manifests: list[Manifest],
    *,
    seconds: float,
    together: bool = False,
    say: Callable[[str], None],
) -> Report:
    """The outcome of the objects on an existing stack's cluster. Raises InputError, EngineError."""
    start = time.monotonic()
    with open_cluster(project, stack) as cluster:
        say(f"cluster of {stack} runs ({time.monotonic() - start:.0f} s)")
        logs = partial(live_logs, cluster.folder)
        seen = run_on(cluster.client, manifests, seconds=seconds, together=together, say=say, logs=logs)
    return report(stack, seen.outcomes, seen.nodes, seen.topologies, stack_estimate(project, stack))


def _stack(project: Project, named: str | None) -> str:
    stack = named or stacks.selected(project)
    if stack is None:
        known = ", ".join(project.stacks()) or "none yet"
        raise InputError(f"no stack is selected; give one with --stack: {known}")
    return stack.rsplit("/", 1)[-1]


def _stands(project: Project, stack: str) -> bool:
    return any(api_servers(entry) and stack_of(entry.urn) == stack for entry in project.store.existing())


def _build(stack: str, *, up: bool) -> None:
    """Raises InputError if the build is not requested, or fails."""
    command = ["sandbox", "--kubernetes", "live", "pulumi", "up", "--yes", "--stack", stack]
    typed = f"gpucluster {' '.join(command)}"
    if not up:
        raise InputError(f"the stack {stack!r} does not exist in the sandbox; build it: {typed}; or add --up")
    # The engine's output is progress here.
    done = subprocess.run([sys.executable, "-P", "-m", "gpucluster", *command], stdout=sys.stderr, check=False)
    if done.returncode:
        raise InputError(f"the stack {stack!r} could not be built; run {typed}")


def stack_estimate(project: Project, stack: str) -> Estimate:
    """The estimate of the current stack, by the price book in use. Raises BadPrices."""
    checkpoint = json.loads(state_files(project)[stack].read_text())["checkpoint"]
    text = json.dumps({"version": 3, "deployment": checkpoint["latest"]})
    return estimate(read_text(text, f"the state of {stack}"))

"""`gpucluster acceptance`: what a standing cluster is worth, by its own logs."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from gpucluster.acceptance.judge import judge, with_algorithm
from gpucluster.acceptance.logs.read import Log, UnknownLog, read_log
from gpucluster.acceptance.measured import DEFAULT_ALGORITHM, RING
from gpucluster.acceptance.promises import Promises, promises_of
from gpucluster.acceptance.report.facts import json_report
from gpucluster.acceptance.report.text import text_report
from gpucluster.acceptance.runs.kubectl import ClusterError, Kubectl
from gpucluster.acceptance.verdicts.verdict import PASS, WARN, Verdict, worst
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.shapes import Shape, shape_named, shapes
from gpucluster.components.spec_file import read_spec
from gpucluster.cost.prices import BadPrices
from gpucluster.errors import InputError

__all__ = ["acceptance"]

_FINDINGS = 1
_INPUT_ERROR = 2
_OUR_ERROR = 3


@click.group()
def acceptance() -> None:
    """Judge a standing cluster: fabric, GPUs, storage, placement, and each promise of its spec."""


@acceptance.command()
@click.argument("logs", metavar="FILE...", nargs=-1, required=True)
@click.option("--spec", type=click.Path(path_type=Path), help="Spec whose promises are judged.")
@click.option("--machine", help="Machine type of the nodes, where the logs do not say: p5.48xlarge and the like.")
@click.option(
    "--algorithm",
    type=click.Choice([RING, "tree", DEFAULT_ALGORITHM]),
    help="What NCCL_ALGO was, where the logs do not say.",
)
@click.option("--format", "form", type=click.Choice(["text", "json", "html"]), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the report there; - for standard output.")
def report(
    logs: Sequence[str], spec: Path | None, machine: str | None, algorithm: str | None, form: str, output: Path | None
) -> None:
    """Judge the logs in FILE..., or - for standard input.

    Reads nccl-tests (text or -J), the PyTorch all-reduce benchmark, dcgmi diag -j, elbencho and fio as JSON, and
    records of replaced nodes; kubectl's, mpirun's and torchrun's prefixes are taken off. Exits with 0 where all is
    well, 1 where something fails or can't be told, 2 where a file can't be used.
    """
    problems: list[str] = []
    read = [found for name in logs if (found := _read(name, problems)) is not None]
    shape = _machine(machine, problems)
    promises = Promises()
    if spec is not None:
        try:
            promises = promises_of(read_spec(spec))
        except InputError as error:
            problems.append(str(error))
    if problems:
        click.echo("\n".join(problems), err=True)
        sys.exit(_INPUT_ERROR)
    if algorithm is not None:
        read = [dataclasses.replace(log, measurements=with_algorithm(log.measurements, algorithm)) for log in read]
    verdicts = judge(read, machine=shape, promises=promises)
    _write(_rendered(form, verdicts, read, shape), output)
    sys.exit(0 if worst(verdicts) in (PASS, WARN) else _FINDINGS)


@acceptance.command()
@click.argument("nodes", metavar="[FILE]", required=False)
@click.option("--spec", type=click.Path(path_type=Path), help="Spec that says how many nodes and spares were bought.")
@click.option("--context", help="Cluster of your kubeconfig to ask.  [default: the current one]")
@click.option("--format", "form", type=click.Choice(["text", "json", "html"]), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the report there; - for standard output.")
def topology(nodes: str | None, spec: Path | None, context: str | None, form: str, output: Path | None) -> None:
    """Prove that every training node and spare shares one network domain.

    FILE is what `kubectl get nodes -o json` prints, or - for standard input; left out, the cluster is asked by kubectl.
    """
    from gpucluster.acceptance.verdicts.topology import judge_topology, nodes_of

    try:
        expected = None
        if spec is not None:
            training = read_spec(spec).training
            expected = training.nodes + training.spares
        verdicts = tuple(judge_topology(nodes_of(_listed(nodes, context)), expected=expected))
    except (InputError, ValueError, OSError) as error:
        click.echo(f"{nodes}: {error}" if isinstance(error, ValueError) and nodes else str(error), err=True)
        sys.exit(_INPUT_ERROR)
    except ClusterError as error:
        click.echo(str(error), err=True)
        sys.exit(_OUR_ERROR)
    _write(_rendered(form, verdicts, [], None), output)
    sys.exit(0 if worst(verdicts) in (PASS, WARN) else _FINDINGS)


@acceptance.command()
@click.option("--spec", type=click.Path(path_type=Path), help="Spec whose promises are judged.")
@click.option("--context", help="Cluster of your kubeconfig.  [default: the current one]")
@click.option("--results", type=click.Path(path_type=Path), default=Path("acceptance-results"), show_default=True)
@click.option("--level", type=click.IntRange(1, 4), default=3, show_default=True, help="Of DCGM's diagnosis.")
@click.option(
    "--pairs",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Measure nodes two by two: when a ring was slow, always or never.",
)
@click.option("--node", "only", multiple=True, help="Measure this training node; may be given again.  [default: all]")
@click.option("--force", is_flag=True, help="Run although other pods hold GPUs.")
@click.option("--dry-run", is_flag=True, help="Print what would be created, as YAML, and create nothing.")
@click.option("--nodes", type=click.IntRange(1), help="Nodes of the queue, for a --dry-run that asks no cluster.")
@click.option("--spares", type=click.IntRange(0), help="Spares besides, with --nodes.  [default: 0]")
def run(
    spec: Path | None,
    context: str | None,
    results: Path,
    level: int,
    pairs: str,
    only: Sequence[str],
    force: bool,
    dry_run: bool,
    nodes: int | None,
    spares: int | None,
) -> None:
    """Measure every training node and spare, and judge what came out.

    In this order: placement, GPU diagnosis, all-reduce by ring over 2, 4, 8 ... and all nodes, shared storage, and
    pairs of nodes where a ring was slow. Each step writes a log to --results; what has one is not run again, so an
    interrupted run goes on where it was. Cordoned nodes are in no ring: the queue gives them to no job.
    """
    from gpucluster.acceptance.runs.session import NothingToDo, accept, imagined, manifests, seen

    _check_counts(nodes, spares, only, dry_run=dry_run)
    try:
        promises = promises_of(read_spec(spec)) if spec is not None else Promises()
        if nodes is not None:
            scope = imagined(nodes, spares or 0)
            _say(f"No cluster is asked; by --nodes and --spares: {nodes} in the queue, {spares or 0} beside it.")
            click.echo(manifests(scope, results, level=level, pairs=pairs, say=_say), nl=False)
            return
        cluster = seen(context, only=only, force=force)
        if dry_run:
            click.echo(manifests(cluster.scope, results, level=level, pairs=pairs, say=_say), nl=False)
            return
        verdicts, logs, machine = accept(cluster, results, promises, level=level, pairs=pairs, say=_say)
    except (InputError, NothingToDo) as error:
        click.echo(str(error), err=True)
        sys.exit(_INPUT_ERROR)
    except ClusterError as error:
        click.echo(str(error), err=True)
        sys.exit(_OUR_ERROR)
    _finish(verdicts, logs, machine, results)


def _check_counts(nodes: int | None, spares: int | None, only: Sequence[str], *, dry_run: bool) -> None:
    """Raises UsageError where counts are given that nobody asks for."""
    if nodes is not None and not dry_run:
        raise click.UsageError("--nodes goes with --dry-run; a run takes the training nodes of the cluster")
    if spares is not None and nodes is None:
        raise click.UsageError("--spares goes with --nodes; a cluster is asked for its own")
    if nodes is not None and only:
        raise click.UsageError("--node names nodes of a cluster, and with --nodes none is asked; leave one of them out")


@acceptance.command("burn-in")
@click.option("--hours", type=click.FloatRange(0, 1000, min_open=True), default=48, show_default=True)
@click.option("--context", help="Cluster of your kubeconfig.  [default: the current one]")
@click.option("--results", type=click.Path(path_type=Path), default=Path("burn-in-results"), show_default=True)
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--force", is_flag=True, help="Run although other pods hold GPUs.")
def burn_in(hours: float, context: str | None, results: Path, yes: bool, force: bool) -> None:
    """Keep all GPUs under load for --hours, and judge what broke: new ones fail early.

    Rounds of DCGM's level 3, an hour of GPU and memory stress, and all-reduce over all nodes with NCCL's buffers in
    GPU memory. Prints its own cost first. Interrupt it as you like: started again with the same --results, it goes on
    after the last whole round.
    """
    from gpucluster.acceptance.runs.session import NothingToDo, burn, burn_plan

    try:
        plan = burn_plan(context, results, hours, force=force)
        _say(plan.cost)
        if not yes and not click.confirm("Start?", err=True):
            _say("Nothing was started.")
            return
        verdicts, logs, machine = burn(plan, say=_say)
    except (NothingToDo, BadPrices) as error:
        click.echo(str(error), err=True)
        sys.exit(_INPUT_ERROR)
    except ClusterError as error:
        click.echo(str(error), err=True)
        sys.exit(_OUR_ERROR)
    _finish(verdicts, logs, machine, results)


def _finish(verdicts: Sequence[Verdict], logs: Sequence[Log], machine: Shape, results: Path) -> NoReturn:
    """Writes the page, prints the table, and ends with the exit code of the whole."""
    _write(_rendered("html", verdicts, logs, machine), results / "report.html")
    _write(_rendered("text", verdicts, logs, machine), None)
    sys.exit(0 if worst(verdicts) in (PASS, WARN) else _FINDINGS)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _listed(name: str | None, context: str | None) -> object:
    if name is None:
        return Kubectl(context).get("nodes")
    return json.loads(_text(name))


def _text(name: str) -> str:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    return data.decode("utf-8", "replace")


def _read(name: str, problems: list[str]) -> Log | None:
    try:
        return read_log(Path("standard input" if name == "-" else name), _text(name))
    except OSError as error:
        problems.append(f"{name} can't be read: {error.strerror}; name a log")
    except UnknownLog as error:
        problems.append(str(error))
    return None


def _machine(machine: str | None, problems: list[str]) -> Shape | None:
    if machine is None:
        return None
    found = shape_named(machine)
    if found is None:
        known = [row.machine_type for row in shapes() if row.fabric_gbps]
        hint = did_you_mean(machine, known) or f"; known with a fabric: {', '.join(known)}"
        problems.append(f"--machine is {machine!r}, which is not in the table of shapes{hint}")
    return found


def _rendered(form: str, verdicts: Sequence[Verdict], logs: Sequence[Log], machine: Shape | None) -> str:
    measurements = [measurement for log in logs for measurement in log.measurements]
    if form == "json":
        return json_report(verdicts, measurements)
    if form == "html":
        from gpucluster.acceptance.report.page import html_report

        return html_report(verdicts, measurements, machine)
    return text_report(verdicts, width=shutil.get_terminal_size((100, 24)).columns)


def _write(text: str, output: Path | None) -> None:
    if output is None or str(output) == "-":
        click.echo(text)
        return
    try:
        output.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as error:
        click.echo(f"{output} can't be written: {error.strerror}; name another --output", err=True)
        sys.exit(_INPUT_ERROR)
    click.echo(f"Wrote {output}", err=True)

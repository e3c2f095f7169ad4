"""`gpucluster acceptance`: evaluates a running cluster by its own logs."""

from __future__ import annotations

import dataclasses
import datetime
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import NoReturn, TextIO, get_args

import click

from gpucluster.components.planning.problem import did_you_mean
from gpucluster.components.spec.file import read_spec
from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.core.documents.formats import write, written
from gpucluster.core.text.typed import Source, json_value
from gpucluster.cost.commands.options import POSITIVE
from gpucluster.errors import Exit, InputError
from gpucluster.operate.acceptance.document import Subject, acceptance_document
from gpucluster.operate.acceptance.judge import completed, judge
from gpucluster.operate.acceptance.logs.read import Log, UnknownLog, read_log
from gpucluster.operate.acceptance.measurements import DEFAULT_ALGORITHM, RING, Collective, Replacement
from gpucluster.operate.acceptance.runs.collect import Kubectl, source
from gpucluster.operate.acceptance.signature import digest, sign
from gpucluster.operate.acceptance.verdicts.commitments import Promises, promises_of
from gpucluster.operate.acceptance.verdicts.goodput import hour_of, judge_goodput, lost_of
from gpucluster.operate.acceptance.verdicts.verdict import PASS, WARN, Verdict, worst
from gpucluster.options import form_of, output


@click.command()
@click.argument("logs", metavar="FILE...", nargs=-1, required=True, help="Logs to evaluate; - for stdin.")
@click.option("--spec", metavar="FILE", type=click.Path(path_type=Path), help="Spec with the promises to check.")
@click.option(
    "--machine", metavar="NAME", help="Machine type of the nodes, such as p5.48xlarge, if the logs do not contain it."
)
@click.option(
    "--algorithm",
    type=click.Choice([RING, "tree", DEFAULT_ALGORITHM]),
    help="Value of NCCL_ALGO, if the logs do not contain it.",
)
@click.option(
    "--collective",
    type=click.Choice(get_args(Collective)),
    help="Collective of the runs, if the logs do not contain it.",
)
@click.option(
    "--plan", metavar="FILE", type=click.File(encoding="utf-8"), help="Plan or state, for the price of a lost hour."
)
@click.option("--hours", metavar="HOURS", type=POSITIVE, help="Hours that the logs cover, for goodput.")
@click.option(
    "--sign",
    "key",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="SSH key that signs the report, with --output; the signature is in OUTPUT.sig.",
)
@form_of("table", "json", "html")
@output
def report(
    logs: Sequence[str],
    spec: Path | None,
    machine: str | None,
    algorithm: str | None,
    collective: Collective | None,
    plan: TextIO | None,
    hours: Decimal | None,
    key: Path | None,
    form: str,
    output: TextIO,
) -> None:
    """Evaluate logs of measurements.

    Reads nccl-tests (text or -J; all-reduce, all-gather, reduce-scatter, all-to-all), the PyTorch all-reduce
    benchmark, dcgmi diag -j, elbencho and fio as JSON, and records of replaced nodes; removes the prefixes of kubectl,
    mpirun and torchrun.

    Exit code 1: a check fails or cannot be decided.
    """
    if key is not None and output.name in ("-", "<stdout>"):
        raise click.UsageError("--sign needs --output: a signature is of a file; add -o report.json, for example")
    problems: list[str] = []
    read = [found for name in logs if (found := _read(name, problems)) is not None]
    shape = _machine(machine, problems)
    promises, spares, price = Promises(), 0, None
    try:
        if spec is not None:
            promises, spares = promises_of(given := read_spec(spec)), given.training.spares
        if plan is not None:
            price = hour_of(plan.read(), plan.name)
    except InputError as error:
        problems.append(str(error))
    if problems:
        raise InputError("\n".join(problems))
    read = [
        dataclasses.replace(log, measurements=completed(log.measurements, algorithm=algorithm, collective=collective))
        for log in read
    ]
    measured = [measurement for log in read for measurement in log.measurements]
    records = sum(isinstance(measurement, Replacement) for measurement in measured)
    lost = lost_of(measured, hours=hours, spares=spares, price=price)
    verdicts = (
        *judge(read, machine=shape, promises=promises),
        *judge_goodput(lost, price, records=records, spares=spares),
    )
    subject = Subject(
        machine=shape, spec=str(spec or ""), made=datetime.date.today(), lost=lost, signed=key is not None
    )
    write(acceptance_document(verdicts, read, subject), form, output)
    if key is not None:
        output.flush()
        _say(f"Wrote {sign(Path(output.name), key)}")
    sys.exit(_code(verdicts))


@click.command()
@click.argument(
    "nodes",
    metavar="[FILE]",
    required=False,
    help="Output of `kubectl get nodes -o json`; - for stdin.  [default: read from the cluster with kubectl]",
)
@click.option(
    "--spec",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Spec with the number of nodes and spares.",
)
@click.option("--context", metavar="NAME", help="Context of your kubeconfig.  [default: the current one]")
@form_of("table", "json", "html")
@output
def topology(nodes: str | None, spec: Path | None, context: str | None, form: str, output: TextIO) -> None:
    """Check that the nodes share one network domain.

    Checks every training node and spare by the labels of its cloud.

    Exit code 1: some do not, or it cannot be decided.
    """
    from gpucluster.operate.acceptance.verdicts.topology import judge_topology, nodes_of

    expected = None
    if spec is not None:
        training = read_spec(spec).training
        expected = training.nodes + training.spares
    verdicts = tuple(judge_topology(nodes_of(*_listed(nodes, context)), expected=expected))
    subject = Subject(cluster=context or "", spec=str(spec or ""), made=datetime.date.today())
    write(acceptance_document(verdicts, [], subject), form, output)
    sys.exit(_code(verdicts))


@click.command()
@click.option("--spec", metavar="FILE", type=click.Path(path_type=Path), help="Spec with the promises to check.")
@click.option("--context", metavar="NAME", help="Context of your kubeconfig.  [default: the current one]")
@click.option(
    "--results",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    default=Path("acceptance-results"),
    show_default=True,
    help="Folder for logs and the report.",
)
@click.option(
    "--level", metavar="N", type=click.IntRange(1, 4), default=3, show_default=True, help="DCGM diagnostic level."
)
@click.option(
    "--pairs",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to measure nodes in pairs; auto: when a ring was slow.",
)
@click.option(
    "--node", "only", metavar="NAME", multiple=True, help="Measure this training node; may be repeated.  [default: all]"
)
@click.option("--force", is_flag=True, help="Run even if other pods hold GPUs.")
@click.option("--dry-run", is_flag=True, help="Print the objects as YAML; create nothing.")
@click.option(
    "--nodes",
    metavar="N",
    type=click.IntRange(1),
    help="Nodes of the queue for --dry-run.  [default: read from the cluster]",
)
@click.option("--spares", metavar="N", type=click.IntRange(0), help="Spare nodes, with --nodes.  [default: 0]")
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
    """Measure every training node and spare.

    Then evaluates the results. Steps, in this order: placement, GPU diagnosis, all-reduce by ring over 2, 4, 8 ...
    and all nodes, all-gather and all-to-all over all, shared storage, and pairs of nodes if a ring was slow. Each
    step writes a log to --results; a step with a log is skipped, so an interrupted run continues where it was.
    Cordoned nodes are in no ring: the queue schedules no job on them.
    """
    from gpucluster.operate.acceptance.runs.session import accept, imagined, manifests, seen

    _check_counts(nodes, spares, only, dry_run=dry_run)
    promises = promises_of(read_spec(spec)) if spec is not None else Promises()
    if nodes is not None:
        scope = imagined(nodes, spares or 0)
        _say(f"No cluster is contacted; from --nodes and --spares: {nodes} nodes in the queue, {spares or 0} spares.")
        click.echo(manifests(scope, results, level=level, pairs=pairs, say=_say), nl=False)
        return
    cluster = seen(context, only=only, force=force)
    if dry_run:
        click.echo(manifests(cluster.scope, results, level=level, pairs=pairs, say=_say), nl=False)
        return
    verdicts, logs, machine = accept(cluster, results, promises, level=level, pairs=pairs, say=_say)
    _finish(verdicts, logs, machine, results, context or cluster.kubectl.current_context(), spec)


def _check_counts(nodes: int | None, spares: int | None, only: Sequence[str], *, dry_run: bool) -> None:
    """Raises UsageError for counts that are not used."""
    if nodes is not None and not dry_run:
        raise click.UsageError("--nodes needs --dry-run; a run uses the training nodes of the cluster")
    if spares is not None and nodes is None:
        raise click.UsageError("--spares needs --nodes; otherwise spares are read from the cluster")
    if nodes is not None and only:
        raise click.UsageError(
            "--node selects nodes of a cluster, but with --nodes no cluster is contacted; remove one of them"
        )


@click.command("burn-in")
@click.option(
    "--hours",
    metavar="HOURS",
    type=click.FloatRange(0, 1000, min_open=True),
    default=48,
    show_default=True,
    help="Hours under load.",
)
@click.option("--context", metavar="NAME", help="Context of your kubeconfig.  [default: the current one]")
@click.option(
    "--results",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    default=Path("burn-in-results"),
    show_default=True,
    help="Folder for logs and the report.",
)
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--force", is_flag=True, help="Run even if other pods hold GPUs.")
def burn_in(hours: float, context: str | None, results: Path, yes: bool, force: bool) -> None:
    """Keep all GPUs under load for hours.

    Then reports failures: new GPUs fail early. Runs rounds of DCGM's level 3, an hour of GPU and memory stress, and
    all-reduce over all nodes with NCCL's buffers in GPU memory. Prints its own cost first. You can interrupt it: with
    the same --results, it continues after the last complete round.
    """
    from gpucluster.operate.acceptance.runs.session import burn, burn_plan

    plan = burn_plan(context, results, hours, force=force)
    _say(plan.cost)
    if not yes and not click.confirm("Start?", err=True):
        _say("Nothing was started.")
        return
    verdicts, logs, machine = burn(plan, say=_say)
    _finish(verdicts, logs, machine, results, context or plan.cluster.kubectl.current_context())


def _finish(
    verdicts: Sequence[Verdict], logs: Sequence[Log], machine: Machine, results: Path, cluster: str,
    spec: Path | None = None,
) -> NoReturn:  # fmt: skip
    """Writes the page, prints the table, and exits with the overall exit code."""
    subject = Subject(machine=machine, cluster=cluster, spec=str(spec or ""), made=datetime.date.today())
    document = acceptance_document(verdicts, logs, subject)
    page = results / "report.html"
    try:
        page.write_text(f"{written(document, 'html')}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{page} can't be written: {error.strerror}; give another --results") from None
    _say(f"Wrote {page}")
    write(document, "table", sys.stdout)
    sys.exit(_code(verdicts))


def _code(verdicts: Sequence[Verdict]) -> Exit:
    return Exit.OK if worst(verdicts) in (PASS, WARN) else Exit.FINDINGS


def _say(text: str) -> None:
    click.echo(text, err=True)


def _listed(name: str | None, context: str | None) -> tuple[object, Source]:
    """The nodes, and their origin."""
    if name is None:
        return Kubectl(context).get("nodes"), source("get", "nodes")
    given = Source(name="stdin" if name == "-" else name, fix="give the output of `kubectl get nodes -o json`")
    try:
        return json_value(_text(name), given), given
    except OSError as error:
        raise given.refusal([f"cannot be read: {error.strerror}"]) from None


def _text(name: str) -> str:
    return _bytes(name).decode("utf-8", "replace")


def _bytes(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


def _read(name: str, problems: list[str]) -> Log | None:
    try:
        data = _bytes(name)
        log = read_log(Path("standard input" if name == "-" else name), data.decode("utf-8", "replace"))
        return dataclasses.replace(log, sha256=digest(data))
    except OSError as error:
        problems.append(f"{name} can't be read: {error.strerror}; give a log file")
    except UnknownLog as error:
        problems.append(str(error))
    return None


def _machine(machine: str | None, problems: list[str]) -> Machine | None:
    if machine is None:
        return None
    found = machines().get(machine)
    if found is None:
        known = [row.machine_type for row in machines().values() if row.fabric_gbps]
        hint = did_you_mean(machine, known) or f"; known machine types with a fabric: {', '.join(known)}"
        problems.append(f"--machine is {machine!r}, which is not a known machine type{hint}")
    return found

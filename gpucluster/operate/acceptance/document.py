"""The verdicts on a cluster: the result first, then each kind of check, and charts of what was measured."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import Machine
from gpucluster.core.documents.charts import Bar, Bars, Curve, Curves, Figure, figure
from gpucluster.core.documents.document import Document, Heading, Row, Section, Table, counted
from gpucluster.operate.acceptance.document_json import Acceptance, LogFile
from gpucluster.operate.acceptance.inventory import Inventory, NodeFacts, inventory_of
from gpucluster.operate.acceptance.judge import machine_of
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import ALL_TO_ALL, CollectiveRun
from gpucluster.operate.acceptance.verdicts.fabric import bar, size_words
from gpucluster.operate.acceptance.verdicts.goodput import Lost
from gpucluster.operate.acceptance.verdicts.verdict import (
    CANNOT_TELL,
    FAIL,
    MEASURED,
    PASS,
    WARN,
    Outcome,
    Verdict,
    worst,
)

_ORDER: Final[tuple[Outcome, ...]] = (FAIL, CANNOT_TELL, WARN, PASS, MEASURED)
_STORAGE, _FILES, _FABRIC = "Shared storage", "Small files", "Fabric"
_KINDS: Final[Mapping[str, str]] = {
    "storage": _STORAGE,
    "small files": _FILES,
    "promises": "Promises of the spec",
    "GPU diagnosis": "Nodes and GPUs",
    "kernel modules": "Nodes and GPUs",
    "software of the nodes": "Nodes and GPUs",
    "node replaced": "Nodes and GPUs",
    "goodput": "Goodput",
    "lost hour": "Goodput",
    "training pool": "Placement",
    "network domain": "Placement",
    "nodes and spares": "Placement",
    "one zone": "Placement",
    "log": "Logs",
}
"""First words of a check -> its heading."""
_MOST_TICKS: Final = 5
"""Labels of an axis that have room on a phone."""
_NAMED: Final = 4


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What was measured. machine: of all nodes, if a log's own header does not contain it. cluster: context of the
    kubeconfig, spec: the file; empty if unknown. made: the day of the report. lost: hours without all nodes, if known.
    signed: whether the report is, so that it lists its logs.
    """

    machine: Machine | None = None
    cluster: str = ""
    spec: str = ""
    made: datetime.date
    lost: Lost | None = None
    signed: bool = False


def acceptance_document(verdicts: Sequence[Verdict], logs: Sequence[Log], subject: Subject) -> Document:
    """A failure names the nodes to check."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    summary = ", ".join(f"{counts[outcome]} {outcome}" for outcome in _ORDER if counts[outcome])
    named = list(dict.fromkeys(node for verdict in verdicts if verdict.outcome == FAIL for node in verdict.nodes))
    overall, inventory = worst(verdicts), inventory_of(logs)

    def model() -> Acceptance:
        measured = [measurement for log in logs for measurement in log.measurements]
        return Acceptance(
            outcome=overall,
            verdicts=[*verdicts],
            inventory=inventory,
            lost=subject.lost,
            logs=[LogFile(name=log.name, sha256=log.sha256) for log in logs],
            measurements=measured,
        )

    return Document(
        title=f"Acceptance: {overall} ({summary})" if summary else f"Acceptance: {overall}",
        answer=f"Check {', '.join(named)}." if named else "",
        outcome="over" if overall == FAIL else "within" if overall == PASS else "",
        sections=lambda: _sections(verdicts, inventory, logs if subject.signed else []),
        model=model,
        totals=lambda: _facts(logs, subject),
        figures=lambda: _figures(verdicts, logs, subject.machine),
    )


def _facts(logs: Sequence[Log], subject: Subject) -> Iterator[Row]:
    """For the header of a page."""
    runs = [one for log in logs for one in log.measurements if isinstance(one, CollectiveRun)]
    machines = [subject.machine.machine_type] if subject.machine else []
    machines = list(dict.fromkeys([*(run.machine_type for run in runs if run.machine_type), *machines]))
    nodes = {node for run in runs for node in run.nodes} | {node.name for node in inventory_of(logs).nodes}
    facts = {
        "Cluster": subject.cluster,
        "Machine": ", ".join(machines),
        "Nodes in the logs": str(len(nodes)) if nodes else "",
        "Spec": subject.spec,
        "Report of": subject.made.isoformat(),
    }
    yield from (Row((name, text)) for name, text in facts.items() if text)


def _kind(verdict: Verdict) -> str:
    return next((kind for words, kind in _KINDS.items() if verdict.check.startswith(words)), _FABRIC)


def _sections(verdicts: Sequence[Verdict], inventory: Inventory, logs: Sequence[Log]) -> Iterator[Section]:
    kinds: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda verdict: _ORDER.index(verdict.outcome)):
        kinds.setdefault(_kind(verdict), []).append(verdict)
    for kind, found in kinds.items():
        yield Heading(kind)
        yield Table(
            heads=("check", "outcome", "measured", "required"),
            rows=[_row(verdict) for verdict in found],
            left=range(4),
            wide=None,
            across=True,
            caption=f"{kind}: {counted(len(found), 'check')}",
        )
    if inventory.tools:
        yield f"Measured by {', '.join(inventory.tools)}"
    if inventory.nodes:
        yield Heading("Nodes")
        yield Table(heads=("node",), rows=[Row((node.name,), [*_node(node)]) for node in inventory.nodes])
    if hashed := [log for log in logs if log.sha256]:
        yield Heading("Files")
        yield Table(heads=("file", "SHA-256"), rows=[Row((log.name, log.sha256)) for log in hashed], left=range(2))


def _node(node: NodeFacts) -> Iterator[str]:
    """Software by the names of its sources, and serial numbers, as far as the logs contain them."""
    yield ", ".join(f"{name} {version}" for name, version in node.software.items())
    if node.serials:
        yield f"serial numbers of GPUs {', '.join(f'{gpu}: {of}' for gpu, of in sorted(node.serials.items()))}"


def _row(verdict: Verdict) -> Row:
    where = f"{verdict.log}:{verdict.line}" if verdict.log else ""
    below = [text for text in (verdict.why, where) if text]
    return Row((verdict.check, verdict.outcome, verdict.measured, verdict.wanted), below)


def _figures(verdicts: Sequence[Verdict], logs: Sequence[Log], machine: Machine | None) -> Iterator[Figure]:
    runs = [one for log in logs for one in log.measurements if isinstance(one, CollectiveRun)]
    if drawn := [run for run in runs if any(payload.size for payload in run.payloads)]:
        yield _bandwidth(drawn, machine)
    for name, kind, unit in (("storage", _STORAGE, "GB/s"), ("files", _FILES, "files a second")):
        bars = [_bar(verdict) for verdict in verdicts if _kind(verdict) == kind and verdict.measured]
        if bars:
            chart = Bars(bars)
            yield figure(name, f"{kind}, {unit} of all nodes", chart.text, chart)


def _bar(verdict: Verdict) -> Bar:
    size = Decimal(verdict.measured.split()[0].replace(",", ""))
    note = "; ".join(filter(None, (verdict.outcome, f"required {verdict.wanted}" if verdict.wanted else "")))
    tone = "bad" if verdict.outcome == FAIL else ""
    return Bar(
        verdict.check.removeprefix("storage ").removeprefix("small files: "),
        size,
        verdict.measured,
        note=note,
        tone=tone,
    )


def _bandwidth(runs: Sequence[CollectiveRun], machine: Machine | None) -> Figure:
    """The payload axis is logarithmic. One limit for each required speed, in the colour of its run if it is of one."""
    sizes = [math.log2(payload.size) for run in runs for payload in run.payloads if payload.size]
    first, last = min(sizes), max(max(sizes), min(sizes) + 1)
    curves: list[Curve] = []
    limits: dict[float, list[tuple[int, str]]] = {}
    for number, run in enumerate(runs):
        shape = machine_of(run, machine)
        points = sorted(
            ((math.log2(payload.size) - first) / (last - first), payload.bus_gb_per_s)
            for payload in run.payloads
            if payload.size
        )
        curves.append(Curve(_name(run), points, dots=True))
        if (held := bar(run, shape)) is not None and shape is not None:
            limits.setdefault(held.gb_per_s, []).append((number, f"{shape.machine_type}, {held.by}"))
    for speed, by in sorted(limits.items(), reverse=True):
        name = f"{' and '.join(dict.fromkeys(text for _, text in by))}: {speed:,.0f} GB/s"
        of = by[0][0] if len(by) == 1 < len(runs) else -1
        curves.append(Curve(name, ((0, speed), (1, speed)), of=of))
    most = max(y for curve in curves for _, y in curve.points)
    step = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
    ticks = [
        ((power - first) / (last - first), size_words(2**power))
        for power in range(math.ceil(first), math.floor(last) + 1, step)
    ]
    best = [f"{_name(run)}: {max(one.bus_gb_per_s for one in run.payloads):,.1f} GB/s at most" for run in runs]
    required = [curve.name for curve in curves[len(runs) :]]
    rest = f", and {len(best) - _NAMED} more" if len(best) > _NAMED else ""
    text = f"{'; '.join([*best[:_NAMED], *required])}{rest}."
    chart = Curves(curves, ticks, ("0", lambda top: f"{top:,.0f} GB/s"), text, _round_up(most))
    return figure("bandwidth", "Bus bandwidth by payload", text, chart)


def _name(run: CollectiveRun) -> str:
    nodes = f"{run.node_count} nodes, " if run.node_count else ""
    how = "" if run.collective == ALL_TO_ALL else f", {run.algorithm or 'algorithm unknown'}"
    return f"{nodes}{run.collective or 'collective unknown'}{how}: {run.log}:{run.line}"


def _round_up(value: float) -> float:
    """The next 1, 2, 4 or 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 4, 8, 10) if step * power >= value)

"""A rehearsal of batch scripts as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.documents.markdown import code
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.slurm.batch import BatchOutcome, NodePlace

_MOST_NODES: Final = 16
"""Maximum nodes that are listed one by one."""


@dataclass(frozen=True, kw_only=True)
class BatchReport:
    """stack: its name. nodes: of its Slurm cluster. version: of Slurm."""

    stack: str
    nodes: int
    version: str
    outcomes: Sequence[BatchOutcome]

    @property
    def would_run(self) -> bool:
        """Whether every script would run."""
        return all(outcome.verdict is Verdict.RUNS for outcome in self.outcomes)


def as_text(report: BatchReport) -> str:
    """A paragraph for each script."""
    out: list[str] = []
    for outcome in report.outcomes:
        out += [f"{outcome.script.source} {outcome.verdict}"]
        for name, lines in _rows(outcome):
            out += [f"  {name if number == 0 else '':<9} {line}" for number, line in enumerate(lines)]
        out.append("")
    return "\n".join([*out, _closing(report)])


def as_markdown(report: BatchReport) -> str:
    """The same as a Markdown list."""
    runs = sum(outcome.verdict is Verdict.RUNS for outcome in report.outcomes)
    out = [f"**Jobs on {code(report.stack)}**: {runs} of {len(report.outcomes)} would run", ""]
    for outcome in report.outcomes:
        out.append(f"- {code(outcome.script.source)} **{outcome.verdict}**")
        out += [f"  - {name}: {code(line, 600)}" for name, lines in _rows(outcome) for line in lines]
    return "\n".join([*out, "", _closing(report)])


def _rows(outcome: BatchOutcome) -> Iterator[tuple[str, list[str]]]:
    if outcome.why:
        yield "why", [*outcome.why]
    if outcome.advice:
        yield "advice", [*outcome.advice]
    if outcome.partition:
        yield "partition", [outcome.partition]
    if outcome.places:
        left = len(outcome.places) - _MOST_NODES
        more = [f"and {left} more"] if left > 0 else []
        more += ["further tasks of its array start when these end"] if outcome.waiting else []
        yield "nodes", [*map(_place, outcome.places[:_MOST_NODES]), *more]
        gpus = sum(place.gpus for place in outcome.places)
        below = "one switch" if outcome.switches == 1 else f"{outcome.switches} switches"
        switches = "" if outcome.switches is None else f", below {below}"
        yield "uses", [f"{outcome.cpus} CPUs and {gpus} GPUs on {len(outcome.places)} nodes{switches}"]


def _place(place: NodePlace) -> str:
    task = "" if place.task is None else f"task {place.task} on "
    near = "" if place.switch is None else f", switch {place.switch}"
    return f"{task}{place.node}, {place.gpus} GPUs{near}"


def _closing(report: BatchReport) -> str:
    return (
        f"Scheduled by Slurm {report.version} on {report.nodes} emulated nodes, which are idle. No program ran.\n"
        "Accounts, QOS, reservations, licenses and other users' jobs are unknown here."
    )


def as_json(report: BatchReport) -> str:
    """Unknown values are null."""
    document = {
        "schema_version": 1,
        "stack": report.stack,
        "scheduler": "slurm",
        "scheduler_version": report.version,
        "would_run": report.would_run,
        "jobs": [_job(outcome) for outcome in report.outcomes],
    }
    return json.dumps(document, indent=2)


def _job(outcome: BatchOutcome) -> dict[str, Any]:
    return {
        "source": outcome.script.source,
        "name": outcome.name or None,
        "verdict": outcome.verdict.name.lower(),
        "why": list(outcome.why),
        "advice": list(outcome.advice),
        "partition": outcome.partition or None,
        "nodes": [
            {"name": place.node, "switch": place.switch, "gpus": place.gpus, "task": place.task}
            for place in outcome.places
        ],
        "switches": outcome.switches,
        "cpus": outcome.cpus,
        "tasks_wait": outcome.waiting,
    }

"""A rehearsal as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.documents.markdown import code
from gpucluster.cost.handlers.whole_machines import purchase_words
from gpucluster.cost.pricing.money import money
from gpucluster.operate.rehearse.outcome import Place, Verdict
from gpucluster.operate.rehearse.report import Job, Machines, Report

_MOST_PODS: Final = 16
"""Maximum pods that are listed one by one."""


def as_text(report: Report) -> str:
    """A paragraph for each job."""
    out: list[str] = []
    for job in report.jobs:
        out += [f"{job.outcome.manifest.title} {_verdict(job)}"]
        for name, lines in _rows(job):
            out += [f"  {name if number == 0 else '':<9} {line}" for number, line in enumerate(lines)]
        out.append("")
    return "\n".join([*out, *_closing(report)])


def as_markdown(report: Report) -> str:
    """The same as a Markdown list."""
    out = [f"**Jobs on {code(report.stack)}**: {_summary(report)}", ""]
    for job in report.jobs:
        out.append(f"- {code(job.outcome.manifest.title)} **{_verdict(job)}**")
        out += [f"  - {name}: {code(line, 600)}" for name, lines in _rows(job) for line in lines]
    return "\n".join([*out, "", *_closing(report)])


def _verdict(job: Job) -> str:
    if job.outcome.verdict is Verdict.UNKNOWN:
        return "is admitted; whether it would run is unknown" if job.outcome.admitted else "cannot be decided here"
    return job.outcome.verdict


def _summary(report: Report) -> str:
    runs = sum(job.outcome.verdict is Verdict.RUNS for job in report.jobs)
    return f"{runs} of {len(report.jobs)} would run"


def _rows(job: Job) -> Iterator[tuple[str, list[str]]]:
    outcome = job.outcome
    if outcome.why:
        yield "why", [line for text in outcome.why for line in text.splitlines()]
    if outcome.queue is not None:
        yield "queue", [f"{outcome.queue}: {'admitted' if outcome.admitted else 'not admitted'}"]
    if outcome.places:
        left = len(outcome.places) - _MOST_PODS
        more = [f"and {left} more"] if left > 0 else []
        yield "pods", [*(_pod(place, job) for place in outcome.places[:_MOST_PODS]), *more]
    if job.machines:
        yield "machines", [_machines(machines) for machines in job.machines]


def _pod(place: Place, job: Job) -> str:
    if place.node is None:
        return f"{place.pod} has no node" + ("" if place.waits in job.outcome.why else f": {place.waits}")
    switch = job.switches.get(place.node)
    near = f", switch {switch}" if switch is not None else ""
    return f"{place.pod} on {place.node}{near}" + (f": {place.waits}" if place.waits else "")


def _machines(machines: Machines) -> str:
    bought = f" {purchase_words('', machines.purchase)}" if machines.purchase else ""
    term = f" {machines.term}" if machines.term else ""
    gpus = f", {machines.gpus} of {machines.all_gpus} GPUs" if machines.gpus else ""
    when = (
        ("start for the job and are removed after it")
        if machines.elastic
        else "run anyway, and are in the stack's bill"
    )
    return f"{machines.count} x {machines.machine_type}{bought}{term}{gpus}: {_price(machines)}; they {when}"


def _price(machines: Machines) -> str:
    if machines.each is None or machines.hourly is None:
        return f"price unknown: {machines.unknown}"
    each = f" ({money(machines.each)} each)" if machines.count > 1 else ""
    return f"{money(machines.hourly)} an hour{each}, {machines.source}, {machines.as_of}"


def _closing(report: Report) -> Iterator[str]:
    priced = [machines for job in report.jobs for machines in job.machines]
    if priced:
        total = "unknown" if report.hourly is None else money(report.hourly)
        yield f"Machines per hour: {total}, list prices in USD before tax and discounts"
    yield "All objects were deleted again. No image was pulled and no program ran."


def as_json(report: Report) -> str:
    """Money is text; unknown values are null."""
    document = {
        "schema_version": 1,
        "stack": report.stack,
        "would_run": report.would_run,
        "hourly": _money(report.hourly),
        "jobs": [_job(job) for job in report.jobs],
    }
    return json.dumps(document, indent=2)


def _job(job: Job) -> dict[str, Any]:
    outcome, manifest = job.outcome, job.outcome.manifest
    return {
        "source": manifest.source,
        "kind": manifest.kind,
        "namespace": manifest.namespace,
        "name": manifest.name,
        "verdict": outcome.verdict.name.lower(),
        "why": list(outcome.why),
        "queue": outcome.queue,
        "admitted": outcome.admitted,
        "pods": [
            {
                "name": place.pod,
                "node": place.node,
                "switch": job.switches.get(place.node or ""),
                "waits": place.waits or None,
                "gpus": place.gpus,
                "slices": place.slices or None,
            }
            for place in outcome.places
        ],
        "machines": [_document_machines(machines) for machines in job.machines],
    }


def _document_machines(machines: Machines) -> dict[str, Any]:
    return {
        "machine_type": machines.machine_type,
        "count": machines.count,
        "gpus": machines.gpus,
        "all_gpus": machines.all_gpus,
        "purchase": machines.purchase or None,
        "term": machines.term or None,
        "elastic": machines.elastic,
        "each_hourly": _money(machines.each),
        "hourly": _money(machines.hourly),
        "unknown": machines.unknown or None,
        "source": machines.source or None,
        "as_of": machines.as_of or None,
    }


def _money(amount: object) -> str | None:
    return None if amount is None else f"{amount:f}"

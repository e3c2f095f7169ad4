"""A rehearsal as JSON."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.operate.rehearse.report import Job, Machines, Report


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
        "machines": [_machines(machines) for machines in job.machines],
    }


def _machines(machines: Machines) -> dict[str, Any]:
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

"""fio as JSON: `fio --output-format=json`, one object for each host or for all.

Source of the format: axboe/fio, stat.c (add_ddir_status_json): jobs with read and write, bw_bytes in bytes per second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from gpucluster.operate.acceptance.measurements import LogError, Storage, StoragePhase

_WORK: Final[tuple[Literal["read", "write"], ...]] = ("read", "write")


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and "fio version" in data and ("jobs" in data or "client_stats" in data)


def read(log: str, line: int, reports: Sequence[Mapping[str, Any]]) -> Storage:
    """One run: the total of all hosts. Raises KeyError, TypeError or ValueError for a damaged report."""
    jobs = [job for report in reports for job in _jobs(report)]
    phases: list[StoragePhase] = []
    for work in _WORK:
        moved = sum(float(job[work]["bw_bytes"]) for job in jobs)
        if moved:
            phases.append(StoragePhase(work=work, gb_per_s=moved / 1e9))
    failed = [job for job in jobs if job.get("error")]
    hosts = {job["hostname"] for job in jobs if "hostname" in job}
    return Storage(
        log=log,
        line=line,
        tool=str(reports[0]["fio version"]),
        phases=tuple(phases),
        node_count=len(hosts) or len(reports),
        errors=tuple(
            LogError(line=line, text=f"job {job['jobname']} ended with error {job['error']}", node=job.get("hostname"))
            for job in failed
        ),
    )


def _jobs(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The jobs: with several clients, fio adds a job named All clients that counts everything again."""
    jobs: list[Mapping[str, Any]] = report.get("jobs") or report["client_stats"]
    return [job for job in jobs if job["jobname"] != "All clients"]

"""Whether shared storage is as fast as promised."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.acceptance.measured import Storage, StoragePhase
from gpucluster.acceptance.promises import Promise, Promises
from gpucluster.acceptance.verdicts.verdict import FAIL, MEASURED, PASS, Outcome, Verdict


def judge_storage(run: Storage, promises: Promises) -> Iterator[Verdict]:
    """A verdict for each kind of work: streams in GB/s, many small files in files per second."""
    for phase in run.phases:
        small = phase.work in ("create", "stat", "delete") or (run.file_bytes or 2**20) < 2**20
        yield _files(run, phase, promises) if small else _stream(run, phase, promises)
    for error in run.errors:
        named = (error.node,) if error.node else ()
        yield Verdict(check="storage", outcome=FAIL, why=error.text, nodes=named, log=run.log, line=error.line)


def _stream(run: Storage, phase: StoragePhase, promises: Promises) -> Verdict:
    check, field = f"storage {phase.work}{_of(run)}", "storage.shared.gb_per_s"
    speed = phase.gb_per_s or 0.0
    return _verdict(run, check, speed, f"{speed:,.2f}", "GB/s", promises.storage_gb_per_s, field)


def _files(run: Storage, phase: StoragePhase, promises: Promises) -> Verdict:
    check, field = f"small files: {phase.work}{_of(run)}", "promises.files_per_s"
    speed = phase.files_per_s or 0.0
    return _verdict(run, check, speed, f"{speed:,.0f}", "files/s", promises.files_per_s, field)


def _verdict(
    run: Storage, check: str, speed: float, shown: str, unit: str, promise: Promise | None, field: str
) -> Verdict:
    """field: of the spec that can contain the promise."""
    outcome, why = _judged(speed, None if promise is None else float(promise.value), field)
    return Verdict(
        check=check,
        outcome=outcome,
        why=why if promise is None else f"{why} {promise.field}",
        measured=f"{shown} {unit}",
        wanted="" if promise is None else f"{promise.value:f} {unit}",
        log=run.log,
        line=run.line,
    )


def _judged(measured: float, wanted: float | None, field: str) -> tuple[Outcome, str]:
    if wanted is None:
        return MEASURED, f"no promise to check: set {field} in the spec"
    return (PASS, "reaches") if measured >= wanted else (FAIL, f"{measured / wanted:.0%} of")


def _of(run: Storage) -> str:
    return f", {run.node_count} nodes" if run.node_count else ""

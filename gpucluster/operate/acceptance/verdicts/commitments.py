"""The promises of a spec, and whether each is kept, as far as logs can prove it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.operate.acceptance.measurements import (
    ALL_REDUCE,
    RING,
    CollectiveRun,
    Measurement,
    Replacement,
    Storage,
    StoragePhase,
)
from gpucluster.operate.acceptance.verdicts.references import measured_bandwidth
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, MEASURED, PASS, Outcome, Verdict


@dataclass(frozen=True)
class Promise:
    """field: its path in the spec."""

    value: Decimal
    field: str


@dataclass(frozen=True, kw_only=True)
class Promises:
    """bus_gb_per_s: number of nodes -> bus bandwidth of a ring, GB/s. storage_gb_per_s: GB/s of all nodes together.

    files_per_s: small files per second of all nodes together. replacement_hours: until a broken node has a successor.
    """

    bus_gb_per_s: Mapping[int, Promise] = field(default_factory=dict[int, Promise])
    storage_gb_per_s: Promise | None = None
    files_per_s: Promise | None = None
    replacement_hours: Promise | None = None


def promises_of(spec: ClusterSpec) -> Promises:
    """The spec's `promises`; for storage, its requested values if nothing more is promised."""
    given, asked = spec.promises, spec.storage.shared.gb_per_s
    storage = given.storage_gb_per_s if given else None
    by_storage = Promise(asked, "storage.shared.gb_per_s") if asked else None
    return Promises(
        bus_gb_per_s={
            nodes: Promise(speed, f"promises.bus_gb_per_s.{nodes}")
            for nodes, speed in (given.bus_gb_per_s if given else {}).items()
        },
        storage_gb_per_s=by_storage if storage is None else Promise(storage, "promises.storage_gb_per_s"),
        files_per_s=_promise(given.files_per_s if given else None, "files_per_s"),
        replacement_hours=_promise(given.replacement_hours if given else None, "replacement_hours"),
    )


def _promise(value: Decimal | None, name: str) -> Promise | None:
    return None if value is None else Promise(value, f"promises.{name}")


def judge_promises(promises: Promises, measurements: Sequence[Measurement]) -> Iterator[Verdict]:
    """A verdict for each promise of bus bandwidth and replacement, and for each without a log.

    Verdicts on storage are with its measurements.
    """
    yield from _bandwidth(promises, measurements)
    yield from _replacement(promises, measurements)
    storage = [run for run in measurements if isinstance(run, Storage)]
    streams = any(phase.gb_per_s and (run.file_bytes or 2**20) >= 2**20 for run in storage for phase in run.phases)
    files = any(phase.files_per_s for run in storage for phase in run.phases)
    if promises.storage_gb_per_s and not streams:
        yield _unshown(promises.storage_gb_per_s.field, f"{promises.storage_gb_per_s.value:f} GB/s")
    if promises.files_per_s and not files:
        yield _unshown(promises.files_per_s.field, f"{promises.files_per_s.value:f} files/s")


def _bandwidth(promises: Promises, measurements: Sequence[Measurement]) -> Iterator[Verdict]:
    for nodes, promise in sorted(promises.bus_gb_per_s.items()):
        wanted = f"{promise.value:f} GB/s"
        runs = [
            (run, payload)
            for run in measurements
            if isinstance(run, CollectiveRun) and run.collective == ALL_REDUCE and run.algorithm == RING
            if run.node_count == nodes and run.complete
            if (payload := measured_bandwidth(run)) is not None
        ]
        if not runs:
            yield _unshown(promise.field, wanted)
            continue
        run, payload = min(runs, key=lambda found: found[1].bus_gb_per_s)
        kept = payload.bus_gb_per_s >= promise.value
        yield Verdict(
            check=promise.field,
            outcome=PASS if kept else FAIL,
            why="kept"
            if kept
            else f"{payload.bus_gb_per_s / float(promise.value):.0%} of the promise, by the slowest run",
            measured=f"{payload.bus_gb_per_s:,.1f} GB/s",
            wanted=wanted,
            log=run.log,
            line=run.line,
        )


def _replacement(promises: Promises, measurements: Sequence[Measurement]) -> Iterator[Verdict]:
    promise = promises.replacement_hours
    records = [record for record in measurements if isinstance(record, Replacement)]
    for record in records:
        wanted = "" if promise is None else f"{promise.value:f} h"
        kept = promise is not None and record.hours <= promise.value
        yield Verdict(
            check="node replaced",
            outcome="measured" if promise is None else PASS if kept else FAIL,
            why=f"{record.node}: "
            + ("nothing was promised" if promise is None else "kept" if kept else "later than promised"),
            measured=f"{record.hours:,.1f} h",
            wanted=wanted,
            nodes=() if promise is None or kept else (record.node,),
            log=record.log,
            line=record.line,
        )
    if promise is not None and not records:
        yield _unshown(promise.field, f"{promise.value:f} h")


def _unshown(field: str, wanted: str) -> Verdict:
    return Verdict(check=field, outcome=CANNOT_TELL, why="promised, but in no log", wanted=wanted)


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

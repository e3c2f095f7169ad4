"""elbencho as JSON: one object per phase, as written by `--jsonfile`.

Source of the format: breuner/elbencho 3.1.9, source/Statistics.cpp (printPhaseResultsAsJSON) and source/Common.h. Its
property tree writes every value as a string.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from gpucluster.operate.acceptance.measurements import Storage, StoragePhase

_WORK: Final[Mapping[str, Literal["read", "write", "stat", "delete"]]] = {
    "WRITE": "write",
    "READ": "read",
    "STAT": "stat",
    "RMFILES": "delete",
}
"""Evaluated phases; not those for directories and caches."""

_SMALL: Final = 2**20
"""Bytes: for smaller files, writing is creating files, and the files per second count."""


def recognise(data: Any) -> bool:
    """Whether parsed JSON is a phase of such a log."""
    return isinstance(data, dict) and "phase_type" in data and "last_done" in data


def read(log: str, line: int, phases: Sequence[Mapping[str, Any]]) -> list[Storage]:
    """A run for each file size, in the order of their first phase.

    Raises KeyError, TypeError or ValueError if a field is missing or has another type.
    """
    runs: dict[int, list[Mapping[str, Any]]] = {}
    for phase in phases:
        if phase["phase_type"] in _WORK:
            runs.setdefault(int(phase["config"]["file_size"]), []).append(phase)
    return [
        Storage(
            log=log,
            line=line,
            tool=f"elbencho {run[0]['config'].get('version', '')}".rstrip(),
            phases=tuple(_phase(phase, size) for phase in run),
            node_count=int(run[0]["config"]["hosts"]),
            file_bytes=size,
        )
        for size, run in runs.items()
    ]


def _phase(phase: Mapping[str, Any], size: int) -> StoragePhase:
    work = _WORK[phase["phase_type"]]
    # First done is the rate while all threads still worked; the tail of a slow thread is no promise, but jobs wait for
    # it, so the whole phase counts.
    done: Mapping[str, Any] = phase["last_done"]
    moved, entries = done.get("bytes/s"), done.get("entries/s")
    return StoragePhase(
        work="create" if work == "write" and size < _SMALL else work,
        gb_per_s=None if moved is None else int(moved) / 1e9,
        files_per_s=None if entries is None else float(entries),
    )

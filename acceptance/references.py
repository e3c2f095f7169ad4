"""Published all-reduce figures for runs with NCCL's own choice of algorithm."""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Bus bandwidth of one machine type, GB/s. nodes: None if it holds for any number.

    warn, replace: thresholds below which a node is suspect, or must be replaced; None if the source has none.
    """

    machine_type: str
    nodes: int | None
    expected: float
    warn: float | None
    replace: float | None
    source: str


@functools.cache
def _references() -> tuple[Reference, ...]:
    with Path(__file__).with_name("references.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Reference(
                machine_type=row["machine_type"],
                nodes=int(row["nodes"]) if row["nodes"] else None,
                expected=float(row["expected"]),
                warn=float(row["warn"]) if row["warn"] else None,
                replace=float(row["replace"]) if row["replace"] else None,
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


def reference(machine_type: str, nodes: int) -> Reference | None:
    """The published figures for this number of nodes of a machine type."""
    fitting = (row for row in _references() if row.machine_type == machine_type and row.nodes in (None, nodes))
    return next(fitting, None)

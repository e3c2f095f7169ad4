"""Bus bandwidths that others published of healthy clusters, `references.csv`; the share of one that a run must reach.

Each is of NCCL's own choice of algorithm. Size and number of nodes change the figure of one machine (two p6-b200 reach
654 GB/s, four 377), so a row holds only for its own number of nodes, and for payloads of its size or more.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.operate.acceptance.measurements import CollectiveRun, Payload

FINE: Final = 0.9
"""Share of a published figure from which a run is as published; below it is low, if the source has no own limit.

One dead card of eight leaves at most 87.5 %. Publications of one machine differ by 2 % (two p5.48xlarge: 480, 487.09,
487.87). Azure warns below 85 to 90 % of its expectations (ai-infrastructure-on-azure a01b0731,
skills/slurm/sku_performance_baseline).
"""

BROKEN: Final = 0.75
"""Share of a published figure below which a run is broken, if the source has no own limit.

Two dead cards of eight leave at most 75 %. Azure replaces a node below 64 to 75 % of its expectations (same source).
"""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Bus bandwidth of one machine type, GB/s.

    nodes: None if it holds for any number. size: bytes of the payload, None for the largest of a run over many sizes.
    warn, replace: the source's own limits, GB/s, None if it has none.
    """

    machine_type: str
    collective: str
    nodes: int | None
    size: int | None
    expected: float
    warn: float | None
    replace: float | None
    source: str

    @property
    def low(self) -> float:
        """GB/s below which a run is low."""
        return self.warn or FINE * self.expected

    @property
    def broken(self) -> float:
        """GB/s below which a run is broken."""
        return self.replace or BROKEN * self.expected


@functools.cache
def _references() -> tuple[Reference, ...]:
    with Path(__file__).with_name("references.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Reference(
                machine_type=row["machine_type"],
                collective=row["collective"],
                nodes=int(row["nodes"]) if row["nodes"] else None,
                size=int(row["bytes"]) if row["bytes"] else None,
                expected=float(row["expected"]),
                warn=float(row["warn"]) if row["warn"] else None,
                replace=float(row["replace"]) if row["replace"] else None,
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


LEAST_PAYLOAD: Final = 4 * 10**9
"""Bytes; smaller payloads measure latency as much as bandwidth, and need a published figure of their size."""


def reference(run: CollectiveRun, machine_type: str, payload: Payload) -> Reference | None:
    """The published figure for a payload of a run: of the largest size that the payload reaches."""
    fitting = [
        row
        for row in _references()
        if (row.machine_type, row.collective) == (machine_type, run.collective)
        and row.nodes in (None, run.node_count)
        and (row.size or LEAST_PAYLOAD) <= payload.size
    ]
    return max(fitting, key=lambda row: row.size or LEAST_PAYLOAD, default=None)


def measured_bandwidth(run: CollectiveRun) -> Payload | None:
    """The largest payload, if it is large enough for a verdict without a published figure."""
    large = [payload for payload in run.payloads if payload.size >= LEAST_PAYLOAD]
    return max(large, key=lambda payload: payload.size) if large else None


def judged_payload(run: CollectiveRun, machine_type: str | None) -> Payload | None:
    """The payload that a verdict is about: the largest, if it is large enough or has a published figure."""
    largest = max(run.payloads, key=lambda payload: payload.size, default=None)
    if largest is None or machine_type is None or reference(run, machine_type, largest) is None:
        return measured_bandwidth(run)
    return largest

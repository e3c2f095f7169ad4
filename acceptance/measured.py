"""What a log measured, whatever tool wrote it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Collective = Literal["all-reduce", "all-gather", "all-to-all"]
ALL_REDUCE: Final[Collective] = "all-reduce"
ALL_GATHER: Final[Collective] = "all-gather"
ALL_TO_ALL: Final[Collective] = "all-to-all"

RING: Final = "ring"
DEFAULT_ALGORITHM: Final = "default"
"""What NCCL chose by itself, size by size: often a tree, whose figures say little about single network cards."""


@dataclass(frozen=True, kw_only=True)
class LogError:
    """A line by which a tool said that something broke. node: who said it, where the line tells."""

    line: int
    text: str
    node: str | None = None


def _refuse_infinite(*measured: float | None) -> None:
    """Raises ValueError: no report could hold it."""
    if not all(number is None or math.isfinite(number) for number in measured):
        raise ValueError("its measured value is not a number")


@dataclass(frozen=True, kw_only=True)
class Payload:
    """One row of a benchmark of a collective.

    size: bytes of the payload. bus_gb_per_s: bus bandwidth, GB/s (10^9 bytes); the slower one of out-of-place and
    in-place. wrong: elements with a wrong result; None where the tool did not check.
    """

    size: int
    bus_gb_per_s: float
    wrong: int | None

    def __post_init__(self) -> None:
        _refuse_infinite(self.bus_gb_per_s)


@dataclass(frozen=True, kw_only=True)
class CollectiveRun:
    """One run of a benchmark of a collective.

    collective: None where the log does not tell which. log: the file. line: where the run starts in it, from 1. tool:
    what wrote it. nodes: host or node names, empty where the log has none. node_count, gpus: None where the log does
    not tell. machine_type: as the cloud calls it, where the log's own header tells. algorithm: `ring`, `tree` and the
    like, or `default`; None where the log does not tell. network: what NCCL called the network in use; None where it
    did not say. nccl: its version, None where the log does not tell. complete: whether the tool came to its end.
    """

    log: str
    line: int
    tool: str
    payloads: tuple[Payload, ...]
    complete: bool
    collective: Collective | None = ALL_REDUCE
    nodes: tuple[str, ...] = ()
    node_count: int | None = None
    gpus: int | None = None
    machine_type: str | None = None
    algorithm: str | None = None
    network: str | None = None
    nccl: str | None = None
    errors: tuple[LogError, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DiagnosisTest:
    """One test of a diagnosis. status: pass, warn, fail or skip. gpus: numbers of the GPUs that did not pass."""

    name: str
    status: Literal["pass", "warn", "fail", "skip"]
    gpus: tuple[int, ...] = ()
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """One diagnosis of one node's GPUs. node: None where neither log nor header tells.

    driver: its version, None where the log does not tell. serials: number of the GPU -> serial number, of those that
    tell one.
    """

    log: str
    line: int
    tool: str
    tests: tuple[DiagnosisTest, ...]
    node: str | None = None
    driver: str | None = None
    serials: Mapping[int, str] = field(default_factory=dict[int, str])
    errors: tuple[LogError, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StoragePhase:
    """One kind of work. gb_per_s: GB/s (10^9 bytes) of all nodes together. files_per_s: files of all nodes together."""

    work: Literal["read", "write", "create", "stat", "delete"]
    gb_per_s: float | None = None
    files_per_s: float | None = None

    def __post_init__(self) -> None:
        _refuse_infinite(self.gb_per_s, self.files_per_s)


@dataclass(frozen=True, kw_only=True)
class Storage:
    """One run of a storage benchmark. file_bytes: bytes of each file, None where unknown."""

    log: str
    line: int
    tool: str
    phases: tuple[StoragePhase, ...]
    node_count: int | None = None
    file_bytes: int | None = None
    errors: tuple[LogError, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A node that was replaced. hours: from asking for it until its successor was ready."""

    log: str
    line: int
    node: str
    hours: float


Measurement = CollectiveRun | Diagnosis | Storage | Replacement

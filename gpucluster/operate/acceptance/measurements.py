"""The measurements of a log, independent of the tool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Collective = Literal["all-reduce", "all-gather", "reduce-scatter", "all-to-all"]
ALL_REDUCE: Final[Collective] = "all-reduce"
ALL_GATHER: Final[Collective] = "all-gather"
REDUCE_SCATTER: Final[Collective] = "reduce-scatter"
ALL_TO_ALL: Final[Collective] = "all-to-all"

RING: Final = "ring"
DEFAULT_ALGORITHM: Final = "default"
"""NCCL's own choice, by size: often a tree, whose figures say little about single network cards."""


@dataclass(frozen=True, kw_only=True)
class LogError:
    """A line in which a tool reported a failure. node: its source, if the line contains it."""

    line: int
    text: str
    node: str | None = None


def _refuse_infinite(*measured: float | None) -> None:
    """Raises ValueError for infinite values: no report could contain them."""
    if not all(number is None or math.isfinite(number) for number in measured):
        raise ValueError("its measured value is not a number")


@dataclass(frozen=True, kw_only=True)
class Payload:
    """One row of a benchmark of a collective.

    size: bytes of the payload. bus_gb_per_s: bus bandwidth, GB/s (10^9 bytes); the slower one of out-of-place and
    in-place. wrong: elements with a wrong result; None if the tool did not check.
    """

    size: int
    bus_gb_per_s: float
    wrong: int | None

    def __post_init__(self) -> None:
        _refuse_infinite(self.bus_gb_per_s)


@dataclass(frozen=True, kw_only=True)
class CollectiveRun:
    """One run of a benchmark of a collective.

    collective: None if the log does not contain it. log: the file. line: where the run starts in it, from 1. tool:
    its name. nodes: host or node names, empty if the log has none. node_count, gpus: None if the log does not contain
    them. machine_type: in the cloud's terms, if the log's own header contains it. algorithm: `ring`, `tree` and the
    like, or `default`; None if unknown. network: NCCL's name of the network in use; None if missing. nccl: its version,
    None if missing. complete: whether the tool finished. collnet: whether the log turns on reduction in the switches.
    cards: network cards that NCCL found, by node. software: of the driver and the network plugin, name -> version.
    """

    kind: Literal["collectiveRun"] = "collectiveRun"
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
    collnet: bool = False
    cards: Mapping[str, int] = field(default_factory=dict[str, int])
    software: Mapping[str, str] = field(default_factory=dict[str, str])
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
    """One diagnosis of one node's GPUs. node: None if neither log nor header contains it.

    driver: its version, None if the log does not contain it. serials: number of the GPU -> serial number, if reported.
    """

    kind: Literal["diagnosis"] = "diagnosis"
    log: str
    line: int
    tool: str
    tests: tuple[DiagnosisTest, ...]
    node: str | None = None
    driver: str | None = None
    serials: Mapping[int, str] = field(default_factory=dict[int, str])
    errors: tuple[LogError, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Modules:
    """Loaded kernel modules of NVIDIA's driver on one node. versions: of each, by name. node, machine_type: None if the
    log does not contain them.
    """

    kind: Literal["modules"] = "modules"
    log: str
    line: int
    tool: str
    versions: Mapping[str, str]
    node: str | None = None
    machine_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class Firmware:
    """Firmware of one node's GPUs and network cards. versions: of the driver and of each kind of part; several differ.

    serials: number of the GPU -> serial number, if reported.
    """

    kind: Literal["firmware"] = "firmware"
    log: str
    line: int
    tool: str
    node: str
    versions: Mapping[str, str]
    serials: Mapping[int, str] = field(default_factory=dict[int, str])


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
    """One run of a storage benchmark. file_bytes: bytes of each file, None if unknown."""

    kind: Literal["storage"] = "storage"
    log: str
    line: int
    tool: str
    phases: tuple[StoragePhase, ...]
    node_count: int | None = None
    file_bytes: int | None = None
    errors: tuple[LogError, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A replaced node. hours: from the request, asked, until its successor was ready."""

    kind: Literal["replacement"] = "replacement"
    log: str
    line: int
    node: str
    hours: float
    asked: datetime
    ready: datetime


Measurement = CollectiveRun | Diagnosis | Modules | Firmware | Storage | Replacement

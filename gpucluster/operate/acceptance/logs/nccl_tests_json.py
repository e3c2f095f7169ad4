"""nccl-tests as JSON: `all_reduce_perf -J FILE` and the other tests.

Source of the format: NVIDIA/nccl-tests 2.19.6, src/util.cu (jsonOutputInit, jsonRankInfo, writeBenchmarkLineBody).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from gpucluster.operate.acceptance.logs.lines import Header
from gpucluster.operate.acceptance.logs.nccl_messages import nccl_version
from gpucluster.operate.acceptance.logs.nccl_tests import COLLECTIVES
from gpucluster.operate.acceptance.measurements import (
    ALL_REDUCE,
    ALL_TO_ALL,
    DEFAULT_ALGORITHM,
    Collective,
    CollectiveRun,
    Payload,
)


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and "nccl_version" in data and "results" in data


def read(log: str, line: int, data: Mapping[str, Any], header: Header) -> CollectiveRun:
    """The run. Raises KeyError, TypeError or ValueError if a field is missing or has another type."""
    devices: list[Mapping[str, Any]] = data.get("devices") or data["config"].get("devices") or []
    nodes = tuple(dict.fromkeys(header.node(str(device["hostname"])) for device in devices))
    collective = _collective(data.get("args") or [])
    return CollectiveRun(
        log=log,
        line=line,
        tool="nccl-tests JSON",
        payloads=tuple(_payload(row, collective) for row in data["results"]),
        complete="end_time" in data,
        collective=collective,
        nodes=nodes,
        node_count=len(nodes) or None,
        gpus=len(devices) or None,
        machine_type=header.machine_type,
        algorithm=header.algorithm or _algorithm(data.get("env") or []),
        nccl=nccl_version(int(data["nccl_version"])),
    )


def _algorithm(environment: list[str]) -> str:
    """The algorithm: the log contains the complete environment, so a missing variable was not set."""
    for entry in environment:
        name, _, value = entry.partition("=")
        if name == "NCCL_ALGO":
            return value.lower()
    return DEFAULT_ALGORITHM


def _collective(command: list[str]) -> Collective | None:
    """The collective: the log contains the complete command."""
    return COLLECTIVES.get(PurePath(command[0]).name) if command else ALL_REDUCE


def _payload(row: Mapping[str, Any], collective: Collective | None) -> Payload:
    halves: list[Mapping[str, Any]] = [half for half in (row["out_of_place"], row["in_place"]) if half is not None]
    wrong = [float(half["nwrong"]) for half in halves if half["nwrong"] is not None]
    # An in-place all-to-all is invalid: the program times it and checks nothing.
    timed = halves[:1] if collective == ALL_TO_ALL else halves
    return Payload(
        size=int(row["size"]),
        bus_gb_per_s=min(float(half["bus_bw"]) for half in timed),
        wrong=int(sum(wrong)) if wrong else None,
    )

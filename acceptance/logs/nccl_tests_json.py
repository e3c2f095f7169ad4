"""nccl-tests as JSON: `all_reduce_perf -J FILE`.

Source of the format: NVIDIA/nccl-tests 2.19.6, src/util.cu (jsonOutputInit, jsonRankInfo, writeBenchmarkLineBody).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.acceptance.logs.header import Header
from gpucluster.acceptance.measured import DEFAULT_ALGORITHM, AllReduce, Payload

__all__ = ["read", "recognise"]


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and "nccl_version" in data and "results" in data


def read(log: str, line: int, data: Mapping[str, Any], header: Header) -> AllReduce:
    """The run. Raises KeyError, TypeError or ValueError where a field is missing or of another kind."""
    devices: list[Mapping[str, Any]] = data.get("devices") or data["config"].get("devices") or []
    nodes = tuple(dict.fromkeys(header.node(str(device["hostname"])) for device in devices))
    return AllReduce(
        log=log,
        line=line,
        tool="nccl-tests JSON",
        payloads=tuple(_payload(row) for row in data["results"]),
        complete="end_time" in data,
        nodes=nodes,
        node_count=len(nodes) or None,
        gpus=len(devices) or None,
        machine_type=header.machine_type,
        algorithm=header.algorithm or _algorithm(data.get("env") or []),
    )


def _algorithm(environment: list[str]) -> str:
    """The environment is written whole, so what it does not set was not set."""
    for entry in environment:
        name, _, value = entry.partition("=")
        if name == "NCCL_ALGO":
            return value.lower()
    return DEFAULT_ALGORITHM


def _payload(row: Mapping[str, Any]) -> Payload:
    halves: list[Mapping[str, Any]] = [half for half in (row["out_of_place"], row["in_place"]) if half is not None]
    wrong = [float(half["nwrong"]) for half in halves if half["nwrong"] is not None]
    return Payload(
        size=int(row["size"]),
        bus_gb_per_s=min(float(half["bus_bw"]) for half in halves),
        wrong=int(sum(wrong)) if wrong else None,
    )

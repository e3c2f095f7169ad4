"""nccl-tests as text and as JSON: `all_reduce_perf` and the other tests, by mpirun, in a pod's log, or by `-J`.

Source of both formats: NVIDIA/nccl-tests 2.19.6, src/util.cu (writeDeviceReport, writeBenchmarkLinePreamble,
writeBenchmarkLineBody; jsonOutputInit, jsonRankInfo). Older releases print the same columns under a shorter header,
without the test's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from gpucluster.operate.acceptance.logs.lines import Header, Line, header_of
from gpucluster.operate.acceptance.logs.nccl_messages import (
    algorithm_in,
    error_in,
    nccl_version,
    network_in,
    version_in,
)
from gpucluster.operate.acceptance.measurements import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    DEFAULT_ALGORITHM,
    Collective,
    CollectiveRun,
    LogError,
    Payload,
)

COLLECTIVES: Final[Mapping[str, Collective]] = {
    "all_reduce_perf": ALL_REDUCE,
    "all_gather_perf": ALL_GATHER,
    "alltoall_perf": ALL_TO_ALL,
}
"""The collective of each program."""

_START: Final = re.compile(r"^#\s+nThread \d+ nGpus \d+ ")
_RANK: Final = re.compile(r"^#\s+Rank\s+\d+ (?:Group\s+\d+ )?Pid\s+\d+ on\s+(?P<host>\S+) device\s+\d+ ")
_END: Final = re.compile(r"^#\s*Avg bus bandwidth\s*:")
_VERSION: Final = re.compile(r"^#\s+nccl-tests version (\S+)(?:.* nccl-library=(?P<nccl>\d+))?")
_NAME: Final = re.compile(r"^#\s+Collective test starting: (?P<program>\w+)")
_NUMBER: Final = r"(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
# size, count, type, redop, root, then time, algbw, busbw, #wrong twice: out-of-place and in-place.
_ROW: Final = re.compile(
    rf"^\s*(?P<size>\d+)\s+\d+\s+[a-z]\w*\s+(?P<redop>\w+)\s+-?\d+"
    rf"\s+{_NUMBER}\s+{_NUMBER}\s+(?P<out>{_NUMBER})\s+(?P<out_wrong>N/A|{_NUMBER})"
    rf"\s+{_NUMBER}\s+{_NUMBER}\s+(?P<in>{_NUMBER})\s+(?P<in_wrong>N/A|{_NUMBER})(?:\s|$)"
)


def recognise(text: str) -> bool:
    """Whether a line starts such a log, or exists only in one."""
    return bool(_START.match(text) or _VERSION.match(text) or _RANK.match(text) or _ROW.match(text))


def read(log: str, lines: Sequence[Line]) -> Iterator[CollectiveRun]:
    """Every run in a log; several may follow each other. Lines before the first belong to it."""
    header = Header()
    run: list[Line] = []
    for line in lines:
        found = header_of(line.text)
        begins = any(mark.match(line.text) for mark in (_VERSION, _NAME, _START))
        if found is not None or (begins and any(_START.match(seen.text) for seen in run)):
            if any(_ROW.match(seen.text) or _START.match(seen.text) for seen in run):
                yield _run(log, run, header)
                run = []
            header = found or header
        run.append(line)
    if any(recognise(line.text) for line in run):
        yield _run(log, run, header)


def read_unfinished(log: str, lines: Sequence[Line]) -> Iterator[CollectiveRun]:
    """A run that ended before the tool printed anything: NCCL's messages until then."""
    header = next((found for line in lines if (found := header_of(line.text))), Header())
    yield _run(log, lines, header)


def _run(log: str, lines: Sequence[Line], header: Header) -> CollectiveRun:
    hosts: dict[str, None] = {}
    rows: list[re.Match[str]] = []
    errors: list[LogError] = []
    ranks, complete = 0, False
    algorithm, network, version, nccl, program = header.algorithm, None, "", None, None
    for line in lines:
        rank, row = _RANK.match(line.text), _ROW.match(line.text)
        if rank:
            ranks += 1
            hosts.setdefault(header.node(rank["host"]))
        elif row:
            rows.append(row)
        elif _END.match(line.text):
            complete = True
        elif name := _NAME.match(line.text):
            program = name["program"]
        else:
            if found := _VERSION.match(line.text):
                version = f" {found[1]}"
                nccl = nccl_version(int(found["nccl"])) if found["nccl"] else nccl
            nccl = version_in(line) or nccl
            network = network_in(line) or network
            algorithm = algorithm_in(line) or algorithm
            error = error_in(line, header)
            if error is not None:
                errors.append(error)
    collective = header.collective or _collective(program, rows)
    return CollectiveRun(
        log=log,
        line=next((line.number for line in lines if recognise(line.text)), lines[0].number),
        tool=f"nccl-tests{version}",
        payloads=tuple(_payload(row, collective) for row in rows),
        complete=complete,
        collective=collective,
        nodes=tuple(hosts),
        node_count=len(hosts) or None,
        gpus=ranks or None,
        machine_type=header.machine_type,
        algorithm=algorithm,
        network=network,
        nccl=nccl,
        errors=tuple(errors),
    )


def _collective(program: str | None, rows: Sequence[re.Match[str]]) -> Collective | None:
    """By the name of the program, if printed, as from 2.16.7 on; else by the operator, which only a reduction has."""
    if program is not None:
        return COLLECTIVES.get(program)
    return None if any(row["redop"] == "none" for row in rows) else ALL_REDUCE


def _payload(row: re.Match[str], collective: Collective | None) -> Payload:
    wrong = [float(text) for text in (row["out_wrong"], row["in_wrong"]) if text != "N/A"]
    # An in-place all-to-all is invalid: the program times it and checks nothing.
    speeds = [float(row["out"]), *([] if collective == ALL_TO_ALL else [float(row["in"])])]
    return Payload(size=int(row["size"]), bus_gb_per_s=min(speeds), wrong=int(sum(wrong)) if wrong else None)


def recognise_json(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and "nccl_version" in data and "results" in data


def read_json(log: str, line: int, data: Mapping[str, Any], header: Header) -> CollectiveRun:
    """The run. Raises KeyError, TypeError or ValueError if a field is missing or has another type."""
    devices: list[Mapping[str, Any]] = data.get("devices") or data["config"].get("devices") or []
    nodes = tuple(dict.fromkeys(header.node(str(device["hostname"])) for device in devices))
    collective = _nccl_tests_json_collective(data.get("args") or [])
    return CollectiveRun(
        log=log,
        line=line,
        tool="nccl-tests JSON",
        payloads=tuple(_nccl_tests_json_payload(row, collective) for row in data["results"]),
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


def _nccl_tests_json_collective(command: list[str]) -> Collective | None:
    """The collective: the log contains the complete command."""
    return COLLECTIVES.get(PurePath(command[0]).name) if command else ALL_REDUCE


def _nccl_tests_json_payload(row: Mapping[str, Any], collective: Collective | None) -> Payload:
    halves: list[Mapping[str, Any]] = [half for half in (row["out_of_place"], row["in_place"]) if half is not None]
    wrong = [float(half["nwrong"]) for half in halves if half["nwrong"] is not None]
    # An in-place all-to-all is invalid: the program times it and checks nothing.
    timed = halves[:1] if collective == ALL_TO_ALL else halves
    return Payload(
        size=int(row["size"]),
        bus_gb_per_s=min(float(half["bus_bw"]) for half in timed),
        wrong=int(sum(wrong)) if wrong else None,
    )

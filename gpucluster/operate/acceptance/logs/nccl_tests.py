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
    cards_in,
    collnet_in,
    error_in,
    nccl_version,
    network_in,
    software_in,
    version_in,
)
from gpucluster.operate.acceptance.measurements import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    DEFAULT_ALGORITHM,
    REDUCE_SCATTER,
    Collective,
    CollectiveRun,
    LogError,
    Payload,
)

COLLECTIVES: Final[Mapping[str, Collective]] = {
    "all_reduce_perf": ALL_REDUCE,
    "all_gather_perf": ALL_GATHER,
    "reduce_scatter_perf": REDUCE_SCATTER,
    "alltoall_perf": ALL_TO_ALL,
}
"""The collective of each program."""

_START: Final = re.compile(r"^#\s+nThread \d+ nGpus \d+ ")
_RANK: Final = re.compile(r"^#\s+Rank\s+\d+ (?:Group\s+\d+ )?Pid\s+\d+ on\s+(?P<host>\S+) device\s+\d+ ")
_END: Final = re.compile(r"^#\s*Avg bus bandwidth\s*:")
_VERSION: Final = re.compile(r"^#\s+nccl-tests version (\S+)(?:.* nccl-library=(?P<nccl>\d+))?")
_NAME: Final = re.compile(r"^#\s+Collective test starting: (?P<program>\w+)")
_COMMAND: Final = re.compile(r"(?:^|[\s/])(?P<program>[a-z]+(?:_[a-z]+)*_perf)(?:_mpi)?(?=\s|$)")
_NUMBER: Final = r"(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
# size, count, type, redop, root, then time, algbw, busbw, #wrong twice: out-of-place and in-place.
_ROW: Final = re.compile(
    rf"^\s*(?P<size>\d+)\s+(?P<count>\d+)\s+(?P<type>[a-z]\w*)\s+(?P<redop>\w+)\s+(?P<root>-?\d+)"
    rf"\s+{_NUMBER}\s+(?P<algorithm>{_NUMBER})\s+(?P<out>{_NUMBER})\s+(?P<out_wrong>N/A|{_NUMBER})"
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
    collnet, cards, software, commands = False, dict[str, int](), dict[str, str](), set[str]()
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
            collnet = collnet or collnet_in(line)
            cards.update([found_cards] if (found_cards := cards_in(line, header)) else [])
            software.update([installed] if (installed := software_in(line)) else [])
            commands |= {match["program"] for match in _COMMAND.finditer(line.text)}
            error = error_in(line, header)
            if error is not None:
                errors.append(error)
    if program is None and len(commands) == 1:
        (program,) = commands
    collective = header.collective or _collective(program, rows)
    started = any(_START.match(line.text) for line in lines)
    return CollectiveRun(
        log=log,
        line=next((line.number for line in lines if recognise(line.text)), lines[0].number),
        tool=f"nccl-tests{version}",
        payloads=tuple(_payload(row, collective) for row in rows),
        # An excerpt without the first line may have no last one either.
        complete=complete or (bool(rows) and not started),
        collective=collective,
        nodes=tuple(hosts),
        node_count=len(hosts) or None,
        gpus=ranks or _ranks(collective, rows),
        machine_type=header.machine_type,
        algorithm=algorithm,
        network=network,
        nccl=nccl,
        collnet=collnet,
        cards=cards,
        software=software,
        errors=tuple(errors),
    )


_BYTES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("int8", "uint8", "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2"), 1),
    **dict.fromkeys(("half", "bfloat16"), 2),
    **dict.fromkeys(("int32", "uint32", "float"), 4),
    **dict.fromkeys(("int64", "uint64", "double"), 8),
}
"""Bytes of each type, by its name in a table. Source: NVIDIA/nccl-tests 2.19.6, src/common.cu, test_typenames."""


def _parts(row: re.Match[str]) -> int | None:
    """Into how many parts a payload is split: its bytes by those of the count, which is of one GPU if it is split."""
    one = int(row["count"]) * _BYTES.get(row["type"], 0)
    return round(int(row["size"]) / one) if one else None


def _collective(program: str | None, rows: Sequence[re.Match[str]]) -> Collective | None:
    """By the name of the program, if printed, as from 2.16.7 on; else by the columns of its table.

    Only a reduction has an operator, only a collective with a root has one, and an all-to-all checks nothing in place.
    """
    if program is not None:
        return COLLECTIVES.get(program)
    if not rows:
        return ALL_REDUCE
    row = rows[-1]
    split = (_parts(row) or 1) > 1
    if int(row["root"]) >= 0:
        return None
    if row["redop"] != "none":
        return REDUCE_SCATTER if split else ALL_REDUCE
    if not split or row["out_wrong"] == "N/A":
        return None
    return ALL_TO_ALL if row["in_wrong"] == "N/A" else ALL_GATHER


def _ranks(collective: Collective | None, rows: Sequence[re.Match[str]]) -> int | None:
    """The number of GPUs of a log without their list, from the count of the last row or the ratio of its bandwidths.

    The bus bandwidth of an all-reduce is 2 (n - 1) / n of the other, in two decimals each. None if that leaves several.
    """
    if not rows:
        return None
    row = rows[-1]
    if (parts := _parts(row) or 1) > 1 or collective != ALL_REDUCE:
        return parts if parts > 1 else None
    bus, algorithm = float(row["out"]), float(row["algorithm"])
    if not algorithm or bus >= 2 * algorithm:
        return None
    ratio = bus / algorithm
    ranks = 2 / (2 - ratio)
    error = ranks**2 / 2 * ratio * 0.005 * (1 / bus + 1 / algorithm)
    return round(ranks) if error < 0.5 and ratio > 1 else None


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
        collnet="NCCL_COLLNET_ENABLE=1" in (data.get("env") or []),
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

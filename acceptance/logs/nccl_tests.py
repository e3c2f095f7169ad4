"""nccl-tests as text: `all_reduce_perf` on a terminal, by mpirun, or out of a pod's log.

Source of the format: NVIDIA/nccl-tests 2.19.6, src/util.cu (writeDeviceReport, writeBenchmarkLinePreamble,
writeBenchmarkLineBody); older releases print the same columns under a shorter header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.acceptance.logs.header import Header, header_of
from gpucluster.acceptance.logs.line import Line
from gpucluster.acceptance.logs.nccl_messages import algorithm_in, error_in, network_in
from gpucluster.acceptance.measured import AllReduce, LogError, Payload

__all__ = ["read", "read_unfinished", "recognise"]

_START: Final = re.compile(r"^#\s+nThread \d+ nGpus \d+ ")
_RANK: Final = re.compile(r"^#\s+Rank\s+\d+ (?:Group\s+\d+ )?Pid\s+\d+ on\s+(?P<host>\S+) device\s+\d+ ")
_END: Final = re.compile(r"^#\s*Avg bus bandwidth\s*:")
_VERSION: Final = re.compile(r"^#\s+nccl-tests version (\S+)")
_NUMBER: Final = r"(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
# size, count, type, redop, root, then time, algbw, busbw, #wrong twice: out-of-place and in-place.
_ROW: Final = re.compile(
    rf"^\s*(?P<size>\d+)\s+\d+\s+[a-z]\w*\s+\w+\s+-?\d+"
    rf"\s+{_NUMBER}\s+{_NUMBER}\s+(?P<out>{_NUMBER})\s+(?P<out_wrong>N/A|{_NUMBER})"
    rf"\s+{_NUMBER}\s+{_NUMBER}\s+(?P<in>{_NUMBER})\s+(?P<in_wrong>N/A|{_NUMBER})(?:\s|$)"
)


def recognise(text: str) -> bool:
    """Whether a line starts such a log, or stands only in one."""
    return bool(_START.match(text) or _VERSION.match(text) or _RANK.match(text) or _ROW.match(text))


def read(log: str, lines: Sequence[Line]) -> Iterator[AllReduce]:
    """Every run in a log; several may follow each other. What stands before the first belongs to it."""
    header = Header()
    run: list[Line] = []
    for line in lines:
        found = header_of(line.text)
        if found is not None or (_START.match(line.text) and any(_START.match(seen.text) for seen in run)):
            if any(_ROW.match(seen.text) or _START.match(seen.text) for seen in run):
                yield _run(log, run, header)
                run = []
            header = found or header
        run.append(line)
    if any(recognise(line.text) for line in run):
        yield _run(log, run, header)


def read_unfinished(log: str, lines: Sequence[Line]) -> Iterator[AllReduce]:
    """A run that ended before the tool printed anything of its own: what NCCL said until then."""
    header = next((found for line in lines if (found := header_of(line.text))), Header())
    yield _run(log, lines, header)


def _run(log: str, lines: Sequence[Line], header: Header) -> AllReduce:
    hosts: dict[str, None] = {}
    payloads: list[Payload] = []
    errors: list[LogError] = []
    ranks, complete = 0, False
    algorithm, network, version = header.algorithm, None, ""
    for line in lines:
        rank, row = _RANK.match(line.text), _ROW.match(line.text)
        if rank:
            ranks += 1
            hosts.setdefault(header.node(rank["host"]))
        elif row:
            payloads.append(_payload(row))
        elif _END.match(line.text):
            complete = True
        else:
            found = _VERSION.match(line.text)
            version = f" {found[1]}" if found else version
            network = network_in(line) or network
            algorithm = algorithm_in(line) or algorithm
            error = error_in(line, header)
            if error is not None:
                errors.append(error)
    return AllReduce(
        log=log,
        line=next((line.number for line in lines if recognise(line.text)), lines[0].number),
        tool=f"nccl-tests{version}",
        payloads=tuple(payloads),
        complete=complete,
        nodes=tuple(hosts),
        node_count=len(hosts) or None,
        gpus=ranks or None,
        machine_type=header.machine_type,
        algorithm=algorithm,
        network=network,
        errors=tuple(errors),
    )


def _payload(row: re.Match[str]) -> Payload:
    wrong = [float(text) for text in (row["out_wrong"], row["in_wrong"]) if text != "N/A"]
    return Payload(
        size=int(row["size"]),
        bus_gb_per_s=min(float(row["out"]), float(row["in"])),
        wrong=int(sum(wrong)) if wrong else None,
    )

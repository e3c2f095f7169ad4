"""The table of the all-reduce benchmark that requires only PyTorch.

Source of the format: stas00/ml-engineering, network/benchmarks/all_reduce_bench.py: payload, busbw and algbw between
bars, GBps of 10^9 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gpucluster.operate.acceptance.logs.lines import Header, Line, header_of
from gpucluster.operate.acceptance.logs.nccl_messages import algorithm_in, error_in, network_in
from gpucluster.operate.acceptance.measurements import CollectiveRun, LogError, Payload

_TITLE: Final = re.compile(r"^The average bandwidth of all_reduce over (?P<ranks>\d+) ranks ")
_ROW: Final = re.compile(
    r"^\|\s*(?P<size>\d+)(?P<unit>(?:[KMGT]i)?B)\s*\|\s*(?P<bus>\d+(?:\.\d+)?)GBps\s*\|\s*\d+(?:\.\d+)?GBps\s*\|"
)
_END: Final = re.compile(r"^Elapsed time:")
_UNITS: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_GPUS_A_NODE: Final = 8


def recognise(text: str) -> bool:
    """Whether a line exists only in such a log."""
    return bool(_TITLE.match(text) or _ROW.match(text))


def read(log: str, lines: Sequence[Line]) -> CollectiveRun:
    """The run. Eight ranks count as a node, because the table contains no host."""
    header = Header()
    ranks: int | None = None
    payloads: list[Payload] = []
    errors: list[LogError] = []
    network, algorithm, complete, start = None, None, False, 0
    for line in lines:
        header = header_of(line.text) or header
        title, row = _TITLE.match(line.text), _ROW.match(line.text)
        if title:
            ranks, start = int(title["ranks"]), line.number
        elif row:
            size = int(row["size"]) * _UNITS[row["unit"]]
            payloads.append(Payload(size=size, bus_gb_per_s=float(row["bus"]), wrong=None))
        else:
            complete = complete or bool(_END.match(line.text))
            network = network_in(line) or network
            algorithm = algorithm_in(line) or algorithm
            error = error_in(line, header)
            if error is not None:
                errors.append(error)
    return CollectiveRun(
        log=log,
        line=start or 1,
        tool="all_reduce_bench (PyTorch)",
        payloads=tuple(payloads),
        complete=complete,
        nodes=tuple(dict.fromkeys(header.nodes.values())),
        node_count=None if ranks is None or ranks % _GPUS_A_NODE else ranks // _GPUS_A_NODE,
        gpus=ranks,
        machine_type=header.machine_type,
        algorithm=header.algorithm or algorithm,
        network=network,
        errors=tuple(errors),
    )

"""NCCL's own messages under NCCL_DEBUG=INFO: its network, its configured algorithm, its errors."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.operate.acceptance.logs.lines import Header, Line
from gpucluster.operate.acceptance.measurements import LogError

SOCKET: Final = "Socket"
"""NCCL's word for plain TCP."""

# Observed in public logs: the names of gpucluster/core/catalog/fabric_releases.csv, some with an additional word (AWS
# Libfabric, IBext_v8), and Socket.
_NETWORK: Final = re.compile(r"NCCL INFO Using network (?P<name>.+?)\s*$")
_VERSION: Final = re.compile(r"NCCL version (?P<version>\d+\.\d+\.\d+)")
_ALGORITHM: Final = re.compile(
    r"NCCL_ALGO (?:set by environment to|=)\s*(?P<name>[A-Za-z^,]+)|NCCL_ALGO=(?P<given>[A-Za-z^,]+)"
)
_BROKEN: Final = re.compile(
    r"NCCL WARN (?!.*(?:Could not find|Failed to open libibverbs))|Test NCCL failure|NCCL failure|"
    r"Test CUDA failure|CUDA error|unhandled (?:cuda|system) error|NVRM: Xid|\bXid \(PCI|"
    r"ncclInternalError|ncclSystemError|ncclRemoteError|Call to .* failed|Connection (?:reset by peer|refused)|"
    r"mpirun noticed that process rank|PMIX ERROR|Segmentation fault|Watchdog caught collective operation timeout"
)
_SPEAKER: Final = re.compile(r"^(?P<host>[A-Za-z0-9][\w.-]*):\d+:\d+ ")


def network_in(line: Line) -> str | None:
    """The network of NCCL's "Using network" line."""
    match = _NETWORK.search(line.text)
    return match["name"] if match else None


def version_in(line: Line) -> str | None:
    """NCCL's version, in its first line."""
    match = _VERSION.search(line.text)
    return match["version"] if match else None


def nccl_version(code: int) -> str:
    """The version of NCCL's version number, 22809 for 2.28.9.

    Source: NCCL_VERSION of nccl.h, from 2.9 on.
    """
    return f"{code // 10000}.{code // 100 % 100}.{code % 100}"


def algorithm_in(line: Line) -> str | None:
    """The value of NCCL_ALGO, in lower case, from a line of NCCL's own or from the command repeated in a log."""
    match = _ALGORITHM.search(line.text)
    return (match["name"] or match["given"]).lower() if match else None


def error_in(line: Line, header: Header) -> LogError | None:
    """The line as an error, if it reports one that ends or invalidates a run. header: identifies the node."""
    if not _BROKEN.search(line.text):
        return None
    speaker = _SPEAKER.match(line.text)
    host = speaker["host"] if speaker else line.pod
    return LogError(line=line.number, text=line.text.strip(), node=None if host is None else header.node(host))

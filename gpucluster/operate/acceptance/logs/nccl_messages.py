"""NCCL's own messages under NCCL_DEBUG=INFO: its network and its cards, its configured algorithm, its errors."""

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
# Sources: NVIDIA/nccl 5067397c src/transport/net_ib/init.cc; aws/aws-ofi-nccl, in public logs. A list without its end
# (OOB) was cut off.
_CARDS: Final = re.compile(r"NCCL INFO NET/\w+ ?: Using(?P<cards>(?: \[\d+\]\S+)+) ?(?:\[RO\])?; OOB ")
_EFA: Final = re.compile(r"NCCL INFO NET/OFI Selected [Pp]rovider is efa\b.*\(found (?P<count>\d+) nics\)")
_COLLNET: Final = re.compile(r"NCCL_COLLNET_ENABLE(?: set by environment to |=)1")
_SOFTWARE: Final = (
    ("aws-ofi-nccl", re.compile(r"NET/OFI Initializing aws-ofi-nccl (?P<version>\S+)")),
    ("libfabric", re.compile(r"NET/OFI Using Libfabric version (?P<version>\S+)")),
    ("CUDA of the driver", re.compile(r"NCCL INFO cudaDriverVersion (?P<version>\d+)")),
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


def cards_in(line: Line, header: Header) -> tuple[str, int] | None:
    """(node, network cards that NCCL found on it). Of InfiniBand and Ethernet cards, only the former are the fabric."""
    efa, listed = _EFA.search(line.text), _CARDS.search(line.text)
    host = _host(line)
    if host is None or not (efa or listed):
        return None
    if efa:
        return header.node(host), int(efa["count"])
    cards = listed["cards"].split() if listed else []
    fabric = [card for card in cards if "/IB" in card]
    return header.node(host), len(fabric or cards)


def collnet_in(line: Line) -> bool:
    """Whether a line turns on reduction in the switches."""
    return _COLLNET.search(line.text) is not None


def software_in(line: Line) -> tuple[str, str] | None:
    """(name, version) of the driver's CUDA or of the network plugin."""
    for name, pattern in _SOFTWARE:
        if match := pattern.search(line.text):
            version = match["version"]
            return name, f"{int(version) // 1000}.{int(version) % 1000 // 10}" if version.isdecimal() else version
    return None


def algorithm_in(line: Line) -> str | None:
    """The value of NCCL_ALGO, in lower case, from a line of NCCL's own or from the command repeated in a log."""
    match = _ALGORITHM.search(line.text)
    return (match["name"] or match["given"]).lower() if match else None


def error_in(line: Line, header: Header) -> LogError | None:
    """The line as an error, if it reports one that ends or invalidates a run. header: identifies the node."""
    if not _BROKEN.search(line.text):
        return None
    host = _host(line)
    return LogError(line=line.number, text=line.text.strip(), node=None if host is None else header.node(host))


def _host(line: Line) -> str | None:
    """The host that printed a line of NCCL's."""
    speaker = _SPEAKER.match(line.text)
    return speaker["host"] if speaker else line.pod

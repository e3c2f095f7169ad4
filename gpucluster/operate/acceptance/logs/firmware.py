"""Firmware and serial numbers of a node: `nvidia-smi --query-gpu=... --format=csv` and `ibv_devinfo`.

Sources of the formats: nvidia-smi(1), --help-query-gpu, whose names are the heads of the columns; ibv_devinfo of
rdma-core, in public logs.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from gpucluster.operate.acceptance.logs.lines import Header, Line, header_of
from gpucluster.operate.acceptance.measurements import Firmware

_HEADS: Final = frozenset(("vbios_version", "serial", "driver_version"))
_CARD: Final = re.compile(r"^hca_id:\s*\S+")
_FIRMWARE: Final = re.compile(r"^\s+fw_ver:\s*(?P<version>\S+)")


def recognise(text: str) -> bool:
    """Whether a line starts such a log."""
    return bool(_CARD.match(text)) or (text.startswith(("index", *_HEADS)) and bool(_HEADS & {*_cells(text)}))


def read(log: str, lines: Sequence[Line]) -> Iterator[Firmware]:
    """What each pod printed. Without a pod, the node is that of the file's only header, else named like the file."""
    header = next((found for line in lines if (found := header_of(line.text))), Header())
    only = [*header.nodes.values()] if len(header.nodes) == 1 else [PurePath(log).stem]
    pods = dict.fromkeys(line.pod for line in lines if recognise(line.text))
    for pod in pods:
        of = [line for line in lines if line.pod == pod]
        yield _of_node(log, only[0] if pod is None else header.node(pod), of)


def _of_node(log: str, node: str, lines: Sequence[Line]) -> Firmware:
    gpus, cards = [*_gpus(lines)], [match["version"] for line in lines if (match := _FIRMWARE.match(line.text))]
    versions = {
        "driver": [gpu.get("driver_version", "") for gpu in gpus],
        "VBIOS of GPUs": [gpu.get("vbios_version", "") for gpu in gpus],
        "firmware of network cards": cards,
    }
    found = {name: ", ".join(sorted({*of} - {""})) for name, of in versions.items()}
    serials = {int(gpu.get("index", number)): gpu.get("serial", "") for number, gpu in enumerate(gpus)}
    return Firmware(
        log=log,
        line=next(line.number for line in lines if recognise(line.text)),
        tool=" and ".join(["nvidia-smi"] * bool(gpus) + ["ibv_devinfo"] * bool(cards)) or "nvidia-smi",
        node=node,
        versions={name: version for name, version in found.items() if version},
        serials={number: serial for number, serial in serials.items() if serial},
    )


def _gpus(lines: Sequence[Line]) -> Iterator[Mapping[str, str]]:
    """Column -> value, without what the driver does not report, such as [N/A]."""
    heads: list[str] = []
    for line in lines:
        cells = _cells(line.text)
        if recognise(line.text):
            heads = [] if _CARD.match(line.text) else cells
        elif heads and len(cells) == len(heads):
            known = {head: cell for head, cell in zip(heads, cells, strict=True) if not cell.startswith("[")}
            if known.get("index", "0").isdecimal():
                yield known


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), list[str]())]

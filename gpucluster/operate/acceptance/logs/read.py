"""The record of a replaced node: one JSON object, written by hand or by the runbook's command.

{"replaced": "NODE", "asked": "2026-11-03T09:00:00Z", "ready": "2026-11-03T11:30:00Z"}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from gpucluster.errors import InputError
from gpucluster.operate.acceptance.logs import dcgm, elbencho, fio, firmware, modules, nccl_tests, torch_table
from gpucluster.operate.acceptance.logs.lines import Header, Line, header_of, lines
from gpucluster.operate.acceptance.measurements import Measurement, Replacement
from gpucluster.operate.acceptance.signature import digest


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a record."""
    return isinstance(data, dict) and "replaced" in data


def read(log: str, line: int, data: Mapping[str, Any]) -> Replacement:
    """The replacement. Raises KeyError, TypeError or ValueError if a time is missing, or the end is before the
    start.
    """
    asked, ready = (_time(data[name]) for name in ("asked", "ready"))
    hours = (ready - asked).total_seconds() / 3600
    if hours < 0:
        raise ValueError(f"ready {data['ready']} is earlier than asked {data['asked']}")
    return Replacement(log=log, line=line, node=str(data["replaced"]), hours=hours, asked=asked, ready=ready)


def _time(text: str) -> datetime:
    """In UTC if it names no zone."""
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


FORMATS: Final = (
    "nccl-tests (text or -J), all_reduce_bench.py, dcgmi diag -j, elbencho --jsonfile, fio --output-format=json, "
    "nvidia-smi --query-gpu=index,serial,vbios_version,driver_version --format=csv, ibv_devinfo, "
    "the record of a replaced node"
)


class UnknownLog(InputError):
    """A file of an unknown format; the message is one line with the detected content and the supported formats."""


@dataclass(frozen=True)
class Damage:
    """An unreadable part of a log. line: from 1."""

    line: int
    why: str


@dataclass(frozen=True)
class Log:
    """The measurements of a file, in order, and its unreadable parts. systems: its headers' facts about nodes.

    sha256: of its content, in hexadecimal digits; empty if unknown.
    """

    name: str
    measurements: tuple[Measurement, ...]
    damages: tuple[Damage, ...] = ()
    systems: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    sha256: str = ""

    @classmethod
    def untold(cls, path: Path, why: str) -> Log:
        """A log without measurements, and the reason."""
        return cls(str(path), (), (Damage(1, why),))


@dataclass(frozen=True)
class _Document:
    """A JSON value in a log. pod: of the log, if the collector adds it. header: the last one before it."""

    line: int
    data: Any
    pod: str | None
    header: Header


def read_log(path: Path, text: str) -> Log:
    """The measurements in `text`, the content of `path`. Raises UnknownLog if no format matches."""
    name = str(path)
    all_lines = tuple(lines(text))
    first = next((line.text for line in all_lines if line.text.strip()), None)
    if first is None:
        raise UnknownLog(f"{name} is empty; a log of one of these was expected: {FORMATS}")
    headers = [found for line in all_lines if (found := header_of(line.text))]
    systems = {node: system for header in headers for node, system in header.systems.items()}
    try:
        return replace(_measured(name, all_lines, first), systems=systems, sha256=digest(text.encode()))
    except (ValueError, OverflowError):  # Python accepts some 4,300
        raise UnknownLog(f"{name} has a number with too many digits; run it again") from None


def _measured(name: str, all_lines: Sequence[Line], first: str) -> Log:
    if any(nccl_tests.recognise(line.text) for line in all_lines):
        return Log(name, tuple(nccl_tests.read(name, all_lines)))
    if any(torch_table.recognise(line.text) for line in all_lines):
        return Log(name, (torch_table.read(name, all_lines),))
    if any(firmware.recognise(line.text) for line in all_lines):
        return Log(name, tuple(firmware.read(name, all_lines)))
    documents, damages = _documents(all_lines)
    found, wrong = _of_documents(name, documents)
    if found or wrong or damages:
        return Log(name, found, (*damages, *wrong))
    if any("NCCL INFO" in line.text or "NCCL WARN" in line.text for line in all_lines):
        return Log(name, tuple(nccl_tests.read_unfinished(name, all_lines)))
    raise UnknownLog(f"{name} starts with {first[:60]!r}, which is no known log format; give one of: {FORMATS}")


def _of_documents(name: str, documents: Sequence[_Document]) -> tuple[tuple[Measurement, ...], tuple[Damage, ...]]:
    found: list[Measurement] = []
    damages: list[Damage] = []

    def keep(line: int, read: Callable[[], Sequence[Measurement]]) -> None:
        try:
            found.extend(read())
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            what = f"has no field {error}" if isinstance(error, KeyError) else f"can't be read: {error}"
            damages.append(Damage(line, f"the JSON that starts here {what}"))

    for document in documents:
        if nccl_tests.recognise_json(document.data):
            keep(document.line, partial(_nccl_tests_json, name, document))
        elif dcgm.recognise(document.data):
            keep(document.line, partial(_dcgm, name, document))
        elif modules.recognise(document.data):
            keep(document.line, partial(_modules, name, document))
        elif recognise(document.data):
            keep(document.line, partial(_replaced, name, document))
    phases = [document for document in documents if elbencho.recognise(document.data)]
    if phases:
        keep(phases[0].line, lambda: elbencho.read(name, phases[0].line, [phase.data for phase in phases]))
    reports = [document for document in documents if fio.recognise(document.data)]
    if reports:
        keep(reports[0].line, lambda: [fio.read(name, reports[0].line, [report.data for report in reports])])
    return tuple(found), tuple(damages)


def _nccl_tests_json(name: str, document: _Document) -> list[Measurement]:
    return [nccl_tests.read_json(name, document.line, document.data, document.header)]


def _dcgm(name: str, document: _Document) -> list[Measurement]:
    return [dcgm.read(name, document.line, document.data, _node(document))]


def _modules(name: str, document: _Document) -> list[Measurement]:
    node, machine_type = _node(document), document.header.machine_type
    return [modules.read(name, document.line, document.data, node=node, machine_type=machine_type)]


def _replaced(name: str, document: _Document) -> list[Measurement]:
    return [read(name, document.line, document.data)]


def _node(document: _Document) -> str | None:
    """The node of a diagnosis: the pod's node, or the only node of a header."""
    if document.pod is not None:
        return document.header.node(document.pod)
    nodes = tuple(document.header.nodes.values())
    return nodes[0] if len(nodes) == 1 else None


def _documents(all_lines: Sequence[Line]) -> tuple[list[_Document], tuple[Damage, ...]]:
    """Every JSON object at the start of a line. Logs of several pods may be interleaved, so each pod's is read
    separately.
    """
    by_pod: dict[str | None, list[Line]] = {}
    header = Header()
    for line in all_lines:
        header = header_of(line.text) or header
        by_pod.setdefault(line.pod, []).append(line)
    documents: list[_Document] = []
    damages: list[Damage] = []
    for pod, pod_lines in by_pod.items():
        for line, data, why in _objects(pod_lines):
            if why:
                damages.append(Damage(line, why))
            else:
                documents.append(_Document(line, data, pod, _last_header(pod_lines, line) or header))
    documents.sort(key=lambda document: document.line)
    return documents, tuple(damages)


def _last_header(pod_lines: Sequence[Line], before: int) -> Header | None:
    found = [header_of(line.text) for line in pod_lines if line.number < before]
    return next((header for header in reversed(found) if header is not None), None)


def _objects(pod_lines: Sequence[Line]) -> Iterator[tuple[int, Any, str]]:
    """(line, value, reason if unreadable)."""
    decoder = json.JSONDecoder()
    text = "\n".join(line.text for line in pod_lines)
    starts = [0]
    for line in pod_lines:
        starts.append(starts[-1] + len(line.text) + 1)
    done = 0
    for line, start in zip(pod_lines, starts, strict=False):
        if start < done or not line.text.lstrip().startswith("{"):
            continue
        begin = start + len(line.text) - len(line.text.lstrip())
        try:
            data, done = decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            at = pod_lines[min(text.count("\n", 0, error.pos), len(pod_lines) - 1)].number
            yield line.number, None, f"the JSON that starts here is truncated or invalid in line {at}; run it again"
            return
        except (RecursionError, ValueError):  # too many digits
            yield (
                line.number,
                None,
                "the JSON that starts here is nested too deeply or has numbers with too many digits",
            )
            return
        yield line.number, data, ""

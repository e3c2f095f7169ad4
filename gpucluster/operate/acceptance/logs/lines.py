"""Log lines without the prefixes of launchers and log collectors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_args

from gpucluster.core.text.json_text import parse
from gpucluster.operate.acceptance.measurements import Collective

# Prefixes of the tool's own text, outermost first. Sources: kubectl logs --prefix and --timestamps; Open MPI's mpirun
# --tag-output ([1,0]<stdout>:) and --timestamp-output (Thu Jul 18 15:41:05 2024<stdout>:); torchrun --tee 3 ([node0]:);
# srun --label (0: ).
_PREFIXES: Final = tuple(
    map(
        re.compile,
        (
            r"\[pod/(?P<node>[^/\]]+)/[^\]]+\] ",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d) ",
            r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}(?:\[[\d,]+\])?<std(?:out|err)>:",
            r"\d+: (?=#| *\d+ +\d+ )",
            r"\[\d+,\d+\]<std(?:out|err)>: ?",
            r"\[(?P<node>[A-Za-z][\w.-]*?\d*)\]:",
        ),
    )
)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Line:
    """number: from 1. text: the tool's output. pod: its source, if the collector adds it."""

    number: int
    text: str
    pod: str | None = None


def lines(text: str) -> Iterator[Line]:
    """Every line; carriage returns also end one, because progress counters overwrite themselves."""
    for number, raw in enumerate(text.split("\n"), start=1):
        rest, pod = _COLOUR.sub("", raw.rstrip("\r")).rsplit("\r", 1)[-1], None
        for prefix in _PREFIXES:
            match = prefix.match(rest)
            if match:
                rest, pod = rest[match.end() :], pod or match.groupdict().get("node")
        yield Line(number, rest, pod)


MARK: Final = "#acceptance "


@dataclass(frozen=True, kw_only=True)
class Header:
    """nodes: host name in the log -> name of the Kubernetes node. machine_type: in the cloud's terms.

    systems: name of the node -> the kubelet's report about it, by the names of Kubernetes' nodeInfo.
    """

    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    machine_type: str | None = None
    algorithm: str | None = None
    collective: Collective | None = None
    systems: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def node(self, host: str) -> str:
        """The node of a host name; launchers may print it with a domain or truncated."""
        return self.nodes.get(host) or self.nodes.get(host.split(".")[0]) or host


def header_line(header: Header) -> str:
    """The line for a log; parsed by `header_of`."""
    facts = {
        "nodes": dict(header.nodes),
        "machineType": header.machine_type,
        "algorithm": header.algorithm,
        "collective": header.collective,
        "systems": {node: dict(system) for node, system in header.systems.items()},
    }
    return MARK + json.dumps({key: value for key, value in facts.items() if value}, sort_keys=True)


def header_of(text: str) -> Header | None:
    """The header in a line; None if it is not a header or damaged."""
    if not text.startswith(MARK):
        return None
    try:
        facts: Any = parse(text.removeprefix(MARK))
        nodes: Any = facts.get("nodes", {})
        systems: Any = facts.get("systems", {})
        collective: Any = facts.get("collective")
        return Header(
            nodes={str(host): str(node) for host, node in nodes.items()},
            machine_type=facts.get("machineType"),
            algorithm=facts.get("algorithm"),
            collective=cast(Collective, collective) if collective in get_args(Collective) else None,
            systems={
                str(node): {str(name): str(value) for name, value in system.items()} for node, system in systems.items()
            },
        )
    except (ValueError, AttributeError):
        return None

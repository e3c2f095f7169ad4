"""The line that our own runs write before a tool's output: facts that only the starter knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_args

from gpucluster.acceptance.measured import Collective
from gpucluster.textio.json_text import parse

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

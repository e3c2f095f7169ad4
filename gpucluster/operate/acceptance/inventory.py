"""The measured hardware and the measuring software: an annex to the verdicts, from the logs only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import CollectiveRun, Diagnosis, Firmware, Modules, Replacement

DRIVER: Final = "nvidia"
"""The main kernel module of NVIDIA's driver."""


@dataclass(frozen=True, kw_only=True)
class NodeFacts:
    """One node. software: component -> its version or name, as far as the logs contain it. serials: number of the GPU
    -> its serial number.
    """

    name: str
    software: Mapping[str, str]
    serials: Mapping[int, str]


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """tools: the measuring programs and the measured libraries, with their versions."""

    tools: tuple[str, ...]
    nodes: tuple[NodeFacts, ...]


def inventory_of(logs: Sequence[Log]) -> Inventory:
    """If two logs describe one node, the later one wins: a continued measurement may have a new driver."""
    software: dict[str, dict[str, str]] = {}
    serials: dict[str, dict[int, str]] = {}
    tools: dict[str, None] = {}
    for log in logs:
        for node, system in log.systems.items():
            software.setdefault(node, {}).update(system)
        for run in log.measurements:
            if isinstance(run, CollectiveRun):
                installed = {"NCCL": run.nccl, **run.software}
                tools.update(dict.fromkeys(f"{name} {version}" for name, version in installed.items() if version))
            if not isinstance(run, Replacement):
                tools.setdefault(run.tool)
            if isinstance(run, Diagnosis) and run.node:
                software.setdefault(run.node, {}).update({"driver": run.driver} if run.driver else {})
                serials.setdefault(run.node, {}).update(run.serials)
            if isinstance(run, Firmware):
                software.setdefault(run.node, {}).update(run.versions)
                serials.setdefault(run.node, {}).update(run.serials)
            if isinstance(run, Modules) and run.node and DRIVER in run.versions:
                software.setdefault(run.node, {}).update({"driver in the kernel": run.versions[DRIVER]})
    nodes = [
        NodeFacts(name=name, software=versions, serials=serials.get(name, {}))
        for name, versions in sorted(software.items())
    ]
    return Inventory(tools=tuple(sorted(tools)), nodes=tuple(nodes))

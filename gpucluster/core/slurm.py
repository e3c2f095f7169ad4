"""Slurm's configuration files for given nodes, partitions and switches: `slurm.conf`, `gres.conf`, `topology.conf` and
`topology.yaml`.

Sources: the manual pages slurm.conf(5), gres.conf(5), topology.conf(5) and topology.yaml(5) of Slurm 22.05 and 25.11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import yaml

ROOT: Final = "cluster"
"""The switch above all others: a job of nodes that no switch connects is refused."""
UNPLACED: Final = "unplaced"
"""The switch of nodes whose place is unknown."""
TOPOLOGY: Final = "placement"
"""Name of the topology in `topology.yaml`."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NUMBERED: Final = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True, kw_only=True)
class SlurmNode:
    """cpus: hardware threads. memory_mib: that jobs may use, MiB. gpus: type -> number, such as {"h100": 8} or
    {"1g.10gb": 7}. features: that jobs may select. switches: that lead to it, widest first, such as a block, its rack;
    empty if its place is unknown. detect: how slurmd finds its GPUs; slices need `nvml`.
    """

    name: str
    cpus: int
    memory_mib: int
    gpus: Mapping[str, int] = field(default_factory=dict[str, int])
    features: Sequence[str] = ()
    switches: Sequence[str] = ()
    detect: Literal["nvidia", "nvml"] = "nvidia"


@dataclass(frozen=True, kw_only=True)
class SlurmPartition:
    """nodes: names. max_nodes: of one job; None for all of them. max_minutes: of one job; None without a limit.
    exclusive: whether a job gets whole nodes. memory_per_gpu_mib: of a job that asks for no memory, MiB; without it
    such a job gets all of a node's.
    """

    name: str
    nodes: Sequence[str]
    default: bool = False
    max_nodes: int | None = None
    max_minutes: int | None = None
    exclusive: bool = False
    memory_per_gpu_mib: int | None = None


@dataclass(frozen=True, kw_only=True)
class SlurmCluster:
    """Raises ValueError for names that Slurm does not read, that repeat or that no node has, and for a switch below two
    others.
    """

    nodes: Sequence[SlurmNode]
    partitions: Sequence[SlurmPartition]

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        known = {*names}
        _readable([*names, *(partition.name for partition in self.partitions)])
        _once(names, "nodes")
        _once([partition.name for partition in self.partitions], "partitions")
        for partition in self.partitions:
            if unknown := sorted({*partition.nodes} - known):
                raise ValueError(f"partition {partition.name} names nodes that do not exist: {', '.join(unknown)}")
        _children(self.nodes)


def slurm_conf(cluster: SlurmCluster, addresses: Mapping[str, str] | None = None) -> str:
    """The lines of nodes and partitions. addresses: node -> options that say where its slurmd is, such as `Port=6818`;
    without them it has the address of the node's name.
    """
    lines = ["GresTypes=gpu"] if any(node.gpus for node in cluster.nodes) else []
    return _text([*lines, *_node_lines(cluster.nodes, addresses or {}), *map(_partition_line, cluster.partitions)])


def gres_conf(nodes: Sequence[SlurmNode], files: Callable[[str, int], Iterable[str]] | None = None) -> str:
    """The GPUs of each node that has some, as slurmd detects them. files: type, number -> paths that slurmd counts as
    GPUs in place of real ones.
    """
    lines: dict[str, list[str]] = {}
    for node in nodes:
        if files is not None:
            kinds = node.gpus.items()
            found = [f"Name=gpu Type={kind} File={hostlist(files(kind, count))}" for kind, count in kinds]
        else:
            found = [f"AutoDetect={node.detect}"] if node.gpus else []
        for line in found:
            lines.setdefault(line, []).append(node.name)
    return _text(_named(lines))


def node_options(node: SlurmNode) -> str:
    """What a node offers, as its line has it after the processors."""
    parts = [f"RealMemory={node.memory_mib}"]
    if node.gpus:
        parts.append("Gres=" + ",".join(f"gpu:{kind}:{count}" for kind, count in node.gpus.items()))
    if node.features:
        parts.append(f"Feature={','.join(node.features)}")
    return " ".join(parts)


def partition_options(partition: SlurmPartition) -> str:
    """What its line has after the nodes."""
    nodes = "UNLIMITED" if partition.max_nodes is None else str(partition.max_nodes)
    time = "UNLIMITED" if partition.max_minutes is None else str(partition.max_minutes)
    memory = partition.memory_per_gpu_mib
    return " ".join(
        [
            f"Default={'YES' if partition.default else 'NO'}",
            f"MaxNodes={nodes}",
            f"MaxTime={time}",
            *(["OverSubscribe=EXCLUSIVE"] if partition.exclusive else []),
            *([] if memory is None else [f"DefMemPerGPU={memory}"]),
            "State=UP",
        ]
    )


def topology_conf(nodes: Sequence[SlurmNode]) -> str:
    """The tree of switches for `topology/tree`, leaves first; empty if the place of no node is known."""
    inner = _inner(nodes)
    return _text(
        f"SwitchName={name} {'Switches' if name in inner else 'Nodes'}={hostlist(below)}"
        for name, below in _tree(nodes)
    )


def topology_yaml(nodes: Sequence[SlurmNode]) -> str:
    """The same tree as the only topology, for Slurm from 25.05 on; without a known place, a flat one."""
    inner = _inner(nodes)
    switches = [
        {"switch": name, "children" if name in inner else "nodes": hostlist(below)} for name, below in _tree(nodes)
    ]
    kind: dict[str, Any] = {"tree": {"switches": switches}} if switches else {"flat": True}
    return yaml.safe_dump([{"topology": TOPOLOGY, "cluster_default": True, **kind}], sort_keys=False, width=1000)


def hostlist(names: Iterable[str]) -> str:
    """Names as Slurm writes them: `training-[0-3,7],login`. Numbers of unequal width stand apart: 9 and 09 differ."""
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match is None:
            plain.append(name)
        else:
            # Only a number with a leading zero has a width.
            width = len(match[2]) if match[2].startswith("0") and len(match[2]) > 1 else 0
            groups.setdefault((match[1], width), []).append(int(match[2]))
    return ",".join([*(_bracketed(*key, numbers) for key, numbers in groups.items()), *plain])


def _bracketed(prefix: str, width: int, numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted({*numbers}):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]:0{width}}" + (f"-{run[-1]:0{width}}" if len(run) > 1 else "") for run in runs]
    return f"{prefix}{parts[0]}" if len(numbers) == 1 else f"{prefix}[{','.join(parts)}]"


def _node_lines(nodes: Sequence[SlurmNode], addresses: Mapping[str, str]) -> Iterable[str]:
    lines: dict[str, list[str]] = {}
    for node in nodes:
        options = [*filter(None, [addresses.get(node.name)]), f"CPUs={node.cpus}", node_options(node), "State=UNKNOWN"]
        lines.setdefault(" ".join(options), []).append(node.name)
    return _named(lines)


def _named(lines: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Equal nodes share a line."""
    return (f"NodeName={hostlist(names)} {line}" for line, names in lines.items())


def _partition_line(partition: SlurmPartition) -> str:
    return f"PartitionName={partition.name} Nodes={hostlist(partition.nodes)} {partition_options(partition)}"


def _paths(nodes: Sequence[SlurmNode]) -> dict[str, tuple[str, ...]]:
    """Node -> its switches, under a common root if there are several at the top; empty without any known place."""
    if not any(node.switches for node in nodes):
        return {}
    paths = {node.name: tuple(node.switches) or (UNPLACED,) for node in nodes}
    several = len({path[0] for path in paths.values()}) > 1
    return {name: (ROOT, *path) if several else path for name, path in paths.items()}


def _children(nodes: Sequence[SlurmNode]) -> dict[str, list[str]]:
    """Switch -> what is directly below it: switches or nodes."""
    found: dict[str, list[str]] = {}
    above: dict[str, str] = {}
    inner = _inner(nodes)
    for node, path in _paths(nodes).items():
        _readable(path)
        if path[-1] in inner:
            raise ValueError(f"switch {path[-1]} has both nodes and switches below it")
        for parent, child in zip(path, (*path[1:], node), strict=True):
            if child != node and above.setdefault(child, parent) != parent:
                raise ValueError(f"switch {child} is below {above[child]} and {parent}")
            below = found.setdefault(parent, [])
            if child not in below:
                below.append(child)
        _once(path, f"switches of {node}")
    return found


def _inner(nodes: Sequence[SlurmNode]) -> set[str]:
    """The switches with switches below them."""
    return {switch for path in _paths(nodes).values() for switch in path[:-1]}


def _tree(nodes: Sequence[SlurmNode]) -> list[tuple[str, list[str]]]:
    """Leaves first, since each line may name only those before it."""
    children = _children(nodes)
    depth = {switch: place for path in _paths(nodes).values() for place, switch in enumerate(path)}
    return sorted(children.items(), key=lambda one: -depth[one[0]])


def _readable(names: Iterable[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"Slurm does not read the name {name!r}; write letters, digits, '.', '_' and '-'")


def _once(names: Sequence[str], what: str) -> None:
    if repeated := sorted({name for name in names if [*names].count(name) > 1}):
        raise ValueError(f"{what} repeat: {', '.join(repeated)}")


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)

"""Whether all nodes run the same software: figures of different nodes do not represent the purchased cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.acceptance.inventory import NodeFacts
from gpucluster.acceptance.verdicts.verdict import PASS, WARN, Verdict

_CHECK = "software of the nodes"


def judge_versions(nodes: Sequence[NodeFacts]) -> Iterator[Verdict]:
    """A warning for each difference between nodes; none if fewer than two nodes report their versions."""
    if len([node for node in nodes if node.software]) < 2:
        return
    differing = False
    for name in sorted({name for node in nodes for name in node.software}):
        groups: dict[str, list[str]] = {}
        for node in nodes:
            if name in node.software:
                groups.setdefault(node.software[name], []).append(node.name)
        if len(groups) > 1:
            differing = True
            ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
            told = "; ".join(f"{version}: {', '.join(names)}" for version, names in ordered[1:])
            yield Verdict(
                check=_CHECK,
                outcome=WARN,
                why=f"{name} is {ordered[0][0]} on most nodes, but not on these: {told}",
                nodes=tuple(node for _, names in ordered[1:] for node in names),
            )
    if not differing:
        yield Verdict(check=_CHECK, outcome=PASS, why="the same on all nodes", measured=f"{len(nodes)} nodes")

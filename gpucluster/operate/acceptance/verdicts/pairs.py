"""Which node is slow, from runs over different nodes; which nodes to measure together next, by halves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.logs.nccl_messages import SOCKET
from gpucluster.operate.acceptance.measurements import ALL_REDUCE, RING, CollectiveRun
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, PASS, Outcome, Verdict

_Nodes = frozenset[str]


def _is_sound(run: CollectiveRun) -> bool:
    """Whether a run of named nodes measured their fabric: completed, without other errors."""
    sound = run.complete and not run.errors and not any(payload.wrong for payload in run.payloads)
    return sound and len(run.nodes) > 1 and run.network != SOCKET


def is_pair(run: CollectiveRun) -> bool:
    """Whether a run is of two named nodes: a completed all-reduce by ring without other errors."""
    return _is_sound(run) and len(run.nodes) == 2 and (run.collective, run.algorithm) == (ALL_REDUCE, RING)


@dataclass(kw_only=True)
class _Evidence:
    """fine, slow: nodes that were measured together and passed or failed. untold: runs that say neither."""

    fine: set[_Nodes] = field(default_factory=set[_Nodes])
    slow: set[_Nodes] = field(default_factory=set[_Nodes])
    untold: int = 0


def judge_pairs(runs: Sequence[tuple[CollectiveRun, Machine | None]], others: Iterable[str] = ()) -> Verdict | None:
    """One verdict over all runs of named nodes; None if none is slow, unless there are two pairs or more.

    A node that was in a fast run is fine. A slow run with one other node accuses that node; one with several accuses
    none of them, and the verdict says which to measure together next. others: nodes outside these runs, to measure
    suspects with.
    """
    found = _Evidence()
    pairs = [run for run, _ in runs if is_pair(run)]
    for run, shape in runs:
        verdict = judge_fabric(run, shape) if _is_sound(run) else None
        if verdict is None or verdict.outcome not in (PASS, FAIL):
            found.untold += is_pair(run)
        else:
            (found.fine if verdict.outcome == PASS else found.slow).add(frozenset(verdict.nodes or run.nodes))
    if len(pairs) < 2 and not found.slow:
        return None
    outcome, why, nodes, together = _finding(found, others)
    everyone = _union(frozenset(run.nodes) for run in pairs)
    return Verdict(
        check="pairs" if len(pairs) > 1 else "slow node",
        outcome=outcome,
        why=why,
        measured=f"{len(pairs)} pairs of {len(everyone)} nodes" if len(pairs) > 1 else "",
        nodes=nodes,
        together=together,
    )


_Finding = tuple[Outcome, str, tuple[str, ...], tuple[tuple[str, ...], ...]]


def _finding(found: _Evidence, others: Iterable[str]) -> _Finding:
    """(outcome, reason, accused nodes, nodes to measure together next)."""
    fine = _union(found.fine)
    slow = found.slow - found.fine
    accused = {node for nodes in slow if len(nodes - fine) == 1 for node in nodes - fine}
    if len(slow) > 1 and not fine and not accused:
        why = "every run is slow: the cause is the fabric, not one node; check plugin, placement and drivers"
        return FAIL, why, tuple(sorted(_union(slow))), ()
    doubtful = _smallest(nodes - fine for nodes in slow if len(nodes - fine) > 1 and not nodes & accused)
    links = sorted(tuple(sorted(nodes)) for nodes in slow if nodes <= fine)
    reasons = [
        f"{node} is slow with {_partners(node, slow)}, and with every partner: replace it "
        "(docs/operate/replacing-a-node.md)"
        for node in sorted(accused)
    ]
    partners = sorted(fine) or sorted(set(others) - _union(slow))
    together = tuple(group for nodes in doubtful for group in _halves(sorted(nodes), partners))
    for nodes in doubtful:
        known = " with a third node each" if len(nodes) == 2 and not partners else ""
        which = " and ".join(sorted(nodes)) if len(nodes) == 2 else f"{len(nodes)} nodes"
        reasons.append(f"one of {which} is slow, or the network between them: measure them apart{known}")
    if together:
        groups = "; ".join(f"{', '.join(group[:-1])} and {group[-1]}" for group in together)
        reasons.append(f"next, measure together {groups}")
    if reasons:
        return FAIL, "; ".join(reasons), tuple(sorted(accused)), together
    if links:
        between = "; ".join(" and ".join(link) for link in links)
        what = "that pair" if all(len(link) == 2 for link in links) else "them"
        named = tuple(sorted(_union(map(frozenset, links))))
        return FAIL, f"slow between {between} only, each fast with others: run {what} again", named, ()
    if found.untold or not found.fine:
        return CANNOT_TELL, f"{found.untold} pairs could not be evaluated; see each run", (), ()
    return PASS, "every pair is as fast as its cards allow", (), ()


def _smallest(groups: Iterable[_Nodes]) -> list[_Nodes]:
    """Without those that contain another: what explains the smaller explains them, or is found later."""
    found: list[_Nodes] = []
    for group in sorted(groups, key=lambda nodes: (len(nodes), sorted(nodes))):
        if not any(group & one for one in found):
            found.append(group)
    return found


def _halves(nodes: Sequence[str], partners: Sequence[str]) -> list[tuple[str, ...]]:
    """Two runs that part the nodes; a node alone is measured with a partner, and not without one."""
    middle = len(nodes) // 2
    groups: list[tuple[str, ...]] = []
    for number, half in enumerate((nodes[:middle], nodes[middle:])):
        alone = [partners[number % len(partners)]] if len(half) == 1 and partners else []
        if len(half) + len(alone) > 1:
            groups.append((*half, *alone))
    return groups


def _union(groups: Iterable[_Nodes]) -> set[str]:
    return {node for group in groups for node in group}


def _partners(node: str, slow: Iterable[_Nodes]) -> str:
    return ", ".join(sorted({other for nodes in slow if node in nodes for other in nodes - {node}})) or "any"

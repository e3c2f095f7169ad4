"""Which node is slow, by runs over two nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.logs.nccl_messages import SOCKET
from gpucluster.operate.acceptance.measurements import ALL_REDUCE, RING, CollectiveRun
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, PASS, Outcome, Verdict


def is_pair(run: CollectiveRun) -> bool:
    """Whether a run is of two named nodes: a completed all-reduce by ring without other errors."""
    if run.collective != ALL_REDUCE:
        return False
    sound = run.complete and not run.errors and not any(payload.wrong for payload in run.payloads)
    return sound and len(run.nodes) == 2 and run.algorithm == RING and run.network != SOCKET


def judge_pairs(runs: Sequence[tuple[CollectiveRun, Machine | None]]) -> Verdict | None:
    """One verdict over all runs of two named nodes; None for fewer than two such runs.

    A node is suspect if it was slow with every partner, so that a good node with a bad partner is not suspect.
    """
    pairs = [(run, shape) for run, shape in runs if is_pair(run)]
    if len(pairs) < 2:
        return None
    good: set[frozenset[str]] = set()
    bad: set[frozenset[str]] = set()
    for run, shape in pairs:
        outcome = judge_fabric(run, shape).outcome
        if outcome != CANNOT_TELL:
            (good if outcome == PASS else bad).add(frozenset(run.nodes))
    bad -= good  # a node that was fast once has no dead card
    everyone = _nodes(run.nodes for run, _ in pairs)
    untold = sum(frozenset(run.nodes) not in good | bad for run, _ in pairs)
    outcome, why, nodes = _pairs_finding(good, bad, untold=untold)
    return Verdict(
        check="pairs", outcome=outcome, why=why, measured=f"{len(pairs)} pairs of {len(everyone)} nodes", nodes=nodes
    )


def _pairs_finding(
    good: set[frozenset[str]], bad: set[frozenset[str]], *, untold: int
) -> tuple[Outcome, str, tuple[str, ...]]:
    """(outcome, reason, nodes to check)."""
    fine = _nodes(good)
    suspects = sorted(_nodes(bad) - fine)
    links = sorted(tuple(sorted(pair)) for pair in bad if pair <= fine)
    if bad and not good:
        return (
            FAIL,
            "every pair is slow: the cause is the fabric, not one node; check plugin, placement and drivers",
            tuple(suspects),
        )
    if suspects:
        pairs = "; ".join(f"{node} is slow with {_partners(node, bad)}" for node in suspects)
        return FAIL, f"{pairs}, and with every partner: replace it (docs/operate/replacing-a-node.md)", tuple(suspects)
    if links:
        pairs = "; ".join(" and ".join(link) for link in links)
        return (
            FAIL,
            f"slow between {pairs} only, each fast with others: run that pair again",
            tuple(sorted(_nodes(map(frozenset, links)))),
        )
    if untold or not good:
        return CANNOT_TELL, f"{untold} pairs could not be evaluated; see each run", ()
    return PASS, "every pair is as fast as its cards allow", ()


def _nodes(pairs: Iterable[Iterable[str]]) -> set[str]:
    return {node for pair in pairs for node in pair}


def _partners(node: str, pairs: set[frozenset[str]]) -> str:
    return ", ".join(sorted(other for pair in pairs if node in pair for other in pair - {node}))

"""Published all-reduce figures for runs with NCCL's own choice of algorithm."""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.catalog.fabrics import LIKE_TCP, release_of
from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.logs.nccl_messages import SOCKET
from gpucluster.operate.acceptance.measurements import ALL_REDUCE, ALL_TO_ALL, RING, CollectiveRun, Payload
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, MEASURED, PASS, WARN, Outcome, Verdict


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Bus bandwidth of one machine type, GB/s. nodes: None if it holds for any number.

    warn, replace: thresholds below which a node is suspect, or must be replaced; None if the source has none.
    """

    machine_type: str
    nodes: int | None
    expected: float
    warn: float | None
    replace: float | None
    source: str


@functools.cache
def _references() -> tuple[Reference, ...]:
    with Path(__file__).with_name("references.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Reference(
                machine_type=row["machine_type"],
                nodes=int(row["nodes"]) if row["nodes"] else None,
                expected=float(row["expected"]),
                warn=float(row["warn"]) if row["warn"] else None,
                replace=float(row["replace"]) if row["replace"] else None,
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


def reference(machine_type: str, nodes: int) -> Reference | None:
    """The published figures for this number of nodes of a machine type."""
    fitting = (row for row in _references() if row.machine_type == machine_type and row.nodes in (None, nodes))
    return next(fitting, None)


SHARE_OF_LINE_RATE: Final = 0.8
"""Share of the line rate that a ring must reach, and of a published figure without its own threshold."""

LEAST_PAYLOAD: Final = 4 * 10**9
"""Bytes; smaller payloads measure latency as much as bandwidth."""

_MORE_THAN_ALL: Final = 1.02
"""Share of the line rate: tolerance for rounding and clocks in a real ring."""

_CHECK: Final = "check the fabric plugin, the device plugin and the resource requests of the pod"


def line_rate(shape: Machine) -> float:
    """GB/s of one node's fabric cards in one direction."""
    return shape.fabric_gbps / 8


def _ceiling(run: CollectiveRun, shape: Machine) -> float | None:
    """Maximum bus bandwidth in GB/s with one node's cards; None if the log does not contain the number of GPUs.

    In an all-to-all of n GPUs each sends 1/n of its data to each. The traffic of a node's g GPUs to others uses its
    cards, g * (n - g) / n of the data of one, while bus bandwidth counts (n - 1) / n of it.
    Source of the latter: NVIDIA/nccl-tests 2.19.6, src/alltoall.cu.
    """
    rate = line_rate(shape)
    if run.collective != ALL_TO_ALL:
        return rate
    if not run.gpus or not run.node_count or run.gpus % run.node_count or run.node_count == 1:
        return None
    on_node = run.gpus // run.node_count
    return rate * (run.gpus - 1) / (on_node * (run.gpus - on_node))


def measured_bandwidth(run: CollectiveRun) -> Payload | None:
    """The largest payload, if it is large enough for a verdict."""
    large = [payload for payload in run.payloads if payload.size >= LEAST_PAYLOAD]
    return max(large, key=lambda payload: payload.size) if large else None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The requirement of a run, GB/s of bus bandwidth. by: its source."""

    gb_per_s: float
    by: str


def bar(run: CollectiveRun, shape: Machine | None) -> Bar | None:
    """None for a run of one node or without a fabric, and if no figure is published for the algorithm. shape: the
    machine of its nodes.
    """
    if shape is None or not shape.fabric_gbps or run.node_count == 1:
        return None
    if run.collective in (ALL_TO_ALL, None):
        return None
    if run.algorithm == RING:
        return Bar(gb_per_s=SHARE_OF_LINE_RATE * line_rate(shape), by="a ring must reach")
    known = _published(run, shape)
    return Bar(gb_per_s=_bounds(known)[0], by="warned of below") if known else None


@dataclass(frozen=True)
class _Finding:
    outcome: Outcome
    why: str
    wanted: str = ""
    nodes: tuple[str, ...] = ()


def judge_fabric(run: CollectiveRun, shape: Machine | None) -> Verdict:
    """The verdict of one run. shape: the machine of its nodes, if known."""
    payload = measured_bandwidth(run)
    finding = _finding(run, payload, shape)
    what = run.collective or "collective"
    return Verdict(
        check=f"{what}, {run.node_count} nodes" if run.node_count and run.node_count > 1 else what,
        outcome=finding.outcome,
        why=finding.why,
        measured=f"{payload.bus_gb_per_s:,.1f} GB/s at {size_words(payload.size)}" if payload else "",
        wanted=finding.wanted,
        nodes=finding.nodes,
        log=run.log,
        line=run.line,
    )


def _finding(run: CollectiveRun, payload: Payload | None, shape: Machine | None) -> _Finding:
    wrong = next((row for row in run.payloads if row.wrong), None)
    if wrong is not None:
        return _Finding(
            FAIL,
            f"{wrong.wrong:,} elements have wrong results at {size_words(wrong.size)}: a GPU, NVLink or card corrupts "
            "data; run pairs to find the node",
        )
    if run.node_count != 1 and run.network == SOCKET:
        wanted = f" and not {release_of(shape).nccl_net}" if shape is not None and shape.fabric_gbps else ""
        return _Finding(
            FAIL, f'the GPU fabric is off: NCCL logged "Using network {SOCKET}", which is TCP{wanted}; {_CHECK}'
        )
    if run.errors:
        first, named = run.errors[0], tuple(dict.fromkeys(error.node for error in run.errors if error.node))
        return _Finding(FAIL, f"line {first.line}: {first.text}", nodes=named)
    if payload is None:
        return _Finding(CANNOT_TELL, _no_payload(run))
    if run.node_count == 1:
        return _Finding(CANNOT_TELL, "one node uses NVLink, not the fabric; run on two or more")
    if shape is None:
        return _Finding(CANNOT_TELL, "the log does not contain the machine type; add --machine, such as p5.48xlarge")
    if not shape.fabric_gbps:
        return _Finding(CANNOT_TELL, f"{shape.machine_type} has no GPU fabric")
    if run.collective is None:
        return _Finding(CANNOT_TELL, "the log does not contain the collective; run it with nccl-tests 2.16.7 or newer")
    ceiling = _ceiling(run, shape)
    if ceiling is None:
        return _Finding(CANNOT_TELL, "the log does not contain the number of GPUs on each node")
    share = payload.bus_gb_per_s / ceiling
    part = _part_of_gpus(run, shape)
    if part and share < SHARE_OF_LINE_RATE and run.collective != ALL_TO_ALL:
        return _Finding(CANNOT_TELL, part)
    if share < LIKE_TCP:
        of_all = f"{share:.0%} of the {ceiling:,.0f} GB/s of the cards"
        return _Finding(FAIL, f"the GPU fabric is off: {of_all} is typical of TCP; {_CHECK}")
    if not run.complete:
        return _Finding(CANNOT_TELL, "the log or the run was cut off; run it again")
    if run.collective == ALL_TO_ALL:
        why = f"{share:.0%} of the {ceiling:,.0f} GB/s that the cards allow; no published figure to compare with"
        return _Finding(MEASURED, why)
    if run.algorithm == RING:
        return _by_line_rate(share, payload, shape, run.node_count)
    return _by_reference(payload, shape, run)


def _part_of_gpus(run: CollectiveRun, shape: Machine) -> str:
    """A sentence about a run without some GPUs, whose cards no figure of the machine allows for; empty for all GPUs."""
    every = shape.gpus * (run.node_count or 0)
    if not run.gpus or run.gpus >= every:
        return ""
    return (
        f"only {run.gpus} of the {every} GPUs of its nodes took part, and each uses its own cards; run it on all GPUs"
    )


def _by_line_rate(share: float, payload: Payload, shape: Machine, nodes: int | None) -> _Finding:
    rate = line_rate(shape)
    wanted = f"{SHARE_OF_LINE_RATE:.0%} of {rate:,.0f} GB/s"
    if share > _MORE_THAN_ALL:
        why = (
            f"{share:.0%} of the bandwidth of the cards: not a ring through them; run with NCCL_ALGO=RING, without "
            "SHARP"
        )
        return _Finding(CANNOT_TELL, why, wanted)
    if share >= SHARE_OF_LINE_RATE:
        return _Finding(PASS, f"{share:.0%} of line rate by ring", wanted)
    cards = math.ceil(payload.bus_gb_per_s / (rate / shape.network_cards))
    slowest = "the slower of the two" if nodes == 2 else "the slowest node"
    find = "more pairs" if nodes == 2 else "pairs"
    return _Finding(
        FAIL,
        f"{share:.0%} of line rate by ring, as if only {cards} of a node's {shape.network_cards} cards worked; "
        f"{slowest} sets the figure, and {find} show which",
        wanted,
    )


def _by_reference(payload: Payload, shape: Machine, run: CollectiveRun) -> _Finding:
    known = _published(run, shape)
    if known is None:
        fact = f"NCCL ran its {run.algorithm} algorithm" if run.algorithm else "the log does not contain the algorithm"
        return _Finding(
            CANNOT_TELL,
            f"{fact}; trees exceed line rate on few nodes even with dead cards, and there is no published figure to "
            "compare with; run with NCCL_ALGO=RING, or add --algorithm ring if it was a ring",
        )
    warn, replace = _bounds(known)
    wanted = f"{warn:,.0f} GB/s ({known.expected:,.0f} published)"
    if payload.bus_gb_per_s >= warn:
        return _Finding(PASS, f"as published: {known.source}", wanted)
    outcome, least = (FAIL, replace) if payload.bus_gb_per_s < replace else (WARN, warn)
    return _Finding(outcome, f"below {least:,.0f} GB/s ({known.source}); run with NCCL_ALGO=RING, then pairs", wanted)


def _published(run: CollectiveRun, shape: Machine) -> Reference | None:
    if run.collective != ALL_REDUCE or not run.node_count:
        return None
    return reference(shape.machine_type, run.node_count)


def _bounds(known: Reference) -> tuple[float, float]:
    """(warn, replace), GB/s."""
    share = SHARE_OF_LINE_RATE * known.expected
    return known.warn or share, known.replace or share


def _no_payload(run: CollectiveRun) -> str:
    if not run.complete:
        return "the log ends before a payload of 4 GB: the log or the run was cut off; run it again"
    if not run.payloads:
        return "no row of its table has a bandwidth in numbers, only such as nan or inf; run it again, -b 4G -e 16G"
    largest = max(payload.size for payload in run.payloads)
    return f"the largest payload is {size_words(largest)}, too small to show the fabric; run -b 4G -e 16G"


def size_words(size: int) -> str:
    """A size as text, such as 4 GiB."""
    for unit, step in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= step:
            return f"{size / step:,.4g} {unit}"
    return f"{size} B"


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

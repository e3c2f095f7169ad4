"""Whether a run of a collective shows that every card of the fabric works.

A ring sends all data through each node's cards, so its bus bandwidth cannot exceed the line rate of one node's cards.
An all-gather and a reduce-scatter are rings in any case, unless the switches reduce (collnet) or each node has one GPU.
Source: NVIDIA/nccl 5067397c src/graph/tuning.cc, which admits PAT for one GPU a node, NVLS and COLLNET_DIRECT with
collnet, and RING.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.fabrics import LIKE_TCP, release_of
from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.logs.nccl_messages import SOCKET
from gpucluster.operate.acceptance.measurements import (
    ALL_GATHER,
    ALL_TO_ALL,
    DEFAULT_ALGORITHM,
    REDUCE_SCATTER,
    RING,
    CollectiveRun,
    Payload,
)
from gpucluster.operate.acceptance.verdicts.references import judged_payload, reference
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, MEASURED, PASS, WARN, Outcome, Verdict

SHARE_OF_LINE_RATE: Final = 0.8
"""Share of the line rate that a ring must reach, and that NCCL's own choice, which is no slower than a ring, must.

The slowest published one is 82 % (a3-ultragpu-8g, p6-b300): `references.csv`.
"""

_MORE_THAN_ALL: Final = 1.02
"""Share of the line rate: tolerance for rounding and clocks in a real ring."""

_HALF: Final = 0.5
"""Share of the cards: a speed that less than half of them can reach also fits a node with half of them dead."""

_CHECK: Final = "check the fabric plugin, the device plugin and the resource requests of the pod"


def line_rate(shape: Machine) -> float:
    """GB/s of one node's fabric cards in one direction."""
    return shape.fabric_gbps / 8


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The requirement of a run, GB/s of bus bandwidth. by: its source."""

    gb_per_s: float
    by: str


def bar(run: CollectiveRun, shape: Machine | None) -> Bar | None:
    """None for a run of one node or without a fabric, and if nothing limits it. shape: the machine of its nodes."""
    if shape is None or not shape.fabric_gbps or run.node_count == 1 or run.collective is None:
        return None
    if _is_ring(run, shape):
        return Bar(gb_per_s=SHARE_OF_LINE_RATE * line_rate(shape), by="a ring must reach")
    payload = judged_payload(run, shape.machine_type)
    known = payload and reference(run, shape.machine_type, payload)
    return Bar(gb_per_s=known.low, by="warned of below") if known else None


@dataclass(frozen=True)
class _Finding:
    outcome: Outcome
    why: str
    wanted: str = ""
    nodes: tuple[str, ...] = ()


def judge_fabric(run: CollectiveRun, shape: Machine | None) -> Verdict:
    """The verdict of one run. shape: the machine of its nodes, if known."""
    counted = _counted(run, shape)
    payload = judged_payload(counted, shape.machine_type if shape else None)
    finding = _finding(counted, payload, shape)
    by_speed = finding.wanted and not finding.nodes
    if counted is not run and by_speed and finding.outcome in (FAIL, WARN):
        finding = _Finding(CANNOT_TELL, f"{finding.why}: if all GPUs of its nodes took part, but the log lists none")
    what = counted.collective or "collective"
    return Verdict(
        check=f"{what}, {counted.node_count} nodes" if counted.node_count and counted.node_count > 1 else what,
        outcome=finding.outcome,
        why=finding.why,
        measured=f"{payload.bus_gb_per_s:,.1f} GB/s at {size_words(payload.size)}" if payload else "",
        wanted=finding.wanted,
        nodes=finding.nodes,
        log=run.log,
        line=run.line,
    )


def _counted(run: CollectiveRun, shape: Machine | None) -> CollectiveRun:
    """With the number of nodes that its GPUs fill, if the log has no list of them."""
    if shape is None or run.node_count is not None or not run.gpus or run.gpus % shape.gpus:
        return run
    return dataclasses.replace(run, node_count=run.gpus // shape.gpus)


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
    if (missing := _missing_cards(run, shape)) is not None:
        return missing
    if payload is None:
        return _Finding(CANNOT_TELL, _no_payload(run))
    if run.node_count == 1:
        return _Finding(CANNOT_TELL, "one node uses NVLink, not the fabric; run on two or more")
    if shape is None:
        return _Finding(CANNOT_TELL, "the log does not contain the machine type; add --machine, such as p5.48xlarge")
    if not shape.fabric_gbps:
        return _Finding(CANNOT_TELL, f"{shape.machine_type} has no GPU fabric")
    if run.collective is None:
        return _Finding(CANNOT_TELL, "the log does not contain the collective; add --collective, such as all-gather")
    ceiling = _ceiling(run, shape)
    if ceiling is None:
        return _Finding(CANNOT_TELL, "the log does not contain the number of GPUs on each node")
    share = payload.bus_gb_per_s / ceiling
    if share < LIKE_TCP:
        of_all = f"{share:.0%} of the {ceiling:,.0f} GB/s of the cards"
        return _Finding(FAIL, f"the GPU fabric is off: {of_all} is typical of TCP; {_CHECK}")
    if not run.complete:
        return _Finding(CANNOT_TELL, "the log or the run was cut off; run it again")
    if share * _part(run, shape) < SHARE_OF_LINE_RATE and _part(run, shape) < 1:
        return _by_part(run, share, shape)
    share *= _part(run, shape)
    if run.collective == ALL_TO_ALL:
        return _of_all_to_all(run, share, ceiling, payload, shape)
    if _is_ring(run, shape):
        return _by_line_rate(run, share, payload, shape)
    return _by_own_choice(run, share, payload, shape)


def _is_ring(run: CollectiveRun, shape: Machine) -> bool:
    if run.algorithm == RING:
        return True
    own = run.algorithm in (None, DEFAULT_ALGORITHM) and not run.collnet and shape.gpus > 1
    return own and run.collective in (ALL_GATHER, REDUCE_SCATTER)


def _part(run: CollectiveRun, shape: Machine) -> float:
    """Share of its nodes' GPUs that took part; 1 if unknown."""
    every = shape.gpus * (run.node_count or 0)
    return run.gpus / every if run.gpus and run.gpus < every else 1.0


def _ceiling(run: CollectiveRun, shape: Machine) -> float | None:
    """Maximum bus bandwidth in GB/s with the cards of one node's GPUs that took part, which use no others' cards.

    None if the log does not contain the number of GPUs. In an all-to-all of n GPUs each sends 1/n of its data to each.
    The traffic of a node's g GPUs to others uses its cards, g * (n - g) / n of the data of one, while bus bandwidth
    counts (n - 1) / n of it. Source of the latter: NVIDIA/nccl-tests 2.19.6, src/alltoall.cu.
    """
    rate = line_rate(shape) * _part(run, shape)
    if run.collective != ALL_TO_ALL:
        return rate
    if not run.gpus or not run.node_count or run.gpus % run.node_count or run.node_count == 1:
        return None
    on_node = run.gpus // run.node_count
    return rate * (run.gpus - 1) / (on_node * (run.gpus - on_node))


def _missing_cards(run: CollectiveRun, shape: Machine | None) -> _Finding | None:
    """A failure if NCCL named fewer cards on a node than the machine has, or than on other nodes.

    The EFA plugin counts groups of cards in some releases, so its number is compared with other nodes only.
    """
    if not run.cards or (shape is not None and _part(run, shape) < 1):
        return None
    most = max(run.cards.values())
    if shape is not None and shape.fabric in ("InfiniBand", "RoCE"):
        most = max(most, shape.network_cards)
    few = {node: count for node, count in sorted(run.cards.items()) if count < most}
    if not few:
        return None
    named = ", ".join(f"{count} of {most} cards on {node}" for node, count in few.items())
    why = f"NCCL found {named}; check them, NCCL_IB_HCA and the resource requests of the pod, or replace the node"
    return _Finding(FAIL, why, f"{most} cards", tuple(few))


def _by_part(run: CollectiveRun, share: float, shape: Machine) -> _Finding:
    """Of a run without some GPUs, whose cards no figure of the machine allows for."""
    every = shape.gpus * (run.node_count or 1)
    some = f"only {run.gpus} of the {every} GPUs of its nodes took part, and each uses its own cards"
    if share >= SHARE_OF_LINE_RATE:
        why = f"{some}, which carry {share:.0%} of their line rate; the others were not measured: run it on all GPUs"
        return _Finding(WARN, why, f"{SHARE_OF_LINE_RATE:.0%} of the cards of these GPUs")
    return _Finding(CANNOT_TELL, f"{some}; run it on all GPUs")


def _of_all_to_all(
    run: CollectiveRun, share: float, ceiling: float, payload: Payload, shape: Machine
) -> _Finding:  # fmt: skip
    """Healthy clusters publish 72 to 96 % of what the cards allow, the less the more nodes: `references.csv`."""
    if (known := _against_reference(run, payload, shape)) is not None:
        return known
    of_all = f"{share:.0%} of the {ceiling:,.0f} GB/s that the cards allow"
    if share >= SHARE_OF_LINE_RATE:
        return _Finding(PASS, of_all, f"{SHARE_OF_LINE_RATE:.0%} of {ceiling:,.0f} GB/s")
    if share < _HALF:
        why = f"{of_all}, as if half of a node's cards were dead; run all-reduce with NCCL_ALGO=RING, then pairs"
        return _Finding(FAIL, why, f"{SHARE_OF_LINE_RATE:.0%} of {ceiling:,.0f} GB/s")
    return _Finding(MEASURED, f"{of_all}; no published figure to compare with")


def _by_line_rate(run: CollectiveRun, share: float, payload: Payload, shape: Machine) -> _Finding:
    rate, how = line_rate(shape), "by ring" if run.algorithm == RING else f"by ring, NCCL's only {run.collective}"
    wanted = f"{SHARE_OF_LINE_RATE:.0%} of {rate:,.0f} GB/s"
    if share > _MORE_THAN_ALL:
        why = (
            f"{share:.0%} of the bandwidth of the cards: not a ring through them; run with NCCL_ALGO=RING, without "
            "SHARP"
        )
        return _Finding(CANNOT_TELL, why, wanted)
    published = None if run.algorithm == RING else _against_reference(run, payload, shape)
    if share >= SHARE_OF_LINE_RATE:
        if published is not None and published.outcome != PASS:
            return dataclasses.replace(published, outcome=WARN)
        return _Finding(PASS, f"{share:.0%} of line rate {how}", wanted)
    if published is not None and published.outcome == PASS:
        return published
    cards = math.ceil(payload.bus_gb_per_s / (rate / shape.network_cards))
    slowest = "the slower of the two" if run.node_count == 2 else "the slowest node"
    find = "more pairs" if run.node_count == 2 else "pairs"
    return _Finding(
        FAIL,
        f"{share:.0%} of line rate {how}, as if only {cards} of a node's {shape.network_cards} cards worked; "
        f"{slowest} sets the figure, and {find} show which",
        wanted,
    )


def _by_own_choice(run: CollectiveRun, share: float, payload: Payload, shape: Machine) -> _Finding:
    """Of an all-reduce whose algorithm is NCCL's choice, often a tree, or another than a ring.

    Without a published figure: among n nodes each must send 2 (n - 1) / n of the data, however it is done without
    collnet, while bus bandwidth counts 2 (g - 1) / g for g GPUs. So a share of the cards can carry n (g - 1) / ((n - 1)
    g) of its line rate, and a speed proves a share.
    """
    if (known := _against_reference(run, payload, shape)) is not None:
        return known
    nodes, chosen = run.node_count, run.algorithm in (None, DEFAULT_ALGORITHM)
    fact = f"NCCL ran its {run.algorithm} algorithm" if run.algorithm else "the log does not contain the algorithm"
    ring = "run with NCCL_ALGO=RING, or add --algorithm ring if it was a ring"
    if nodes is None or run.collnet:
        why = "the log does not contain the number of nodes" if nodes is None else "the switches reduced (collnet)"
        return _Finding(CANNOT_TELL, f"{fact}; {why}, and there is no published figure to compare with; {ring}")
    gpus = run.gpus or nodes * shape.gpus
    proven = share * (nodes - 1) / nodes * gpus / (gpus - 1)
    cards = math.ceil(proven * shape.network_cards)
    wanted = f"{SHARE_OF_LINE_RATE:.0%} of {line_rate(shape):,.0f} GB/s"
    if proven > _MORE_THAN_ALL:
        return _Finding(CANNOT_TELL, f"{share:.0%} of line rate is more than {nodes} nodes can reach; {ring}", wanted)
    if proven >= SHARE_OF_LINE_RATE:
        why = f"{share:.0%} of line rate, which takes at least {cards} of each node's {shape.network_cards} cards"
        return _Finding(PASS, why, wanted)
    if chosen and share < SHARE_OF_LINE_RATE:
        slow = f"{share:.0%} of line rate, slower than the ring that NCCL would have chosen with all cards"
        return _Finding(FAIL, f"{slow}; run with NCCL_ALGO=RING, then pairs", wanted)
    least = f"{fact}; {share:.0%} of line rate takes at least {cards} of each node's {shape.network_cards} cards"
    if chosen and proven > _HALF:
        return _Finding(WARN, f"{least}, and shows no more; {ring}", wanted)
    return _Finding(CANNOT_TELL, f"{least}, and there is no published figure to compare with; {ring}", wanted)


def _against_reference(run: CollectiveRun, payload: Payload, shape: Machine) -> _Finding | None:
    """None without a published figure for this machine, collective, number of nodes and size."""
    known = reference(run, shape.machine_type, payload)
    if known is None:
        return None
    share = f"{payload.bus_gb_per_s / known.expected:.0%} of the published {known.expected:,.0f} GB/s"
    wanted = f"{known.low:,.0f} GB/s ({known.expected:,.0f} published)"
    if payload.bus_gb_per_s >= known.low:
        return _Finding(PASS, f"{share} ({known.source})", wanted)
    outcome, least = (FAIL, known.broken) if payload.bus_gb_per_s < known.broken else (WARN, known.low)
    find = f"below {least:,.0f} GB/s; run all-reduce with NCCL_ALGO=RING, then pairs"
    return _Finding(outcome, f"{share} ({known.source}), {find}", wanted)


def _no_payload(run: CollectiveRun) -> str:
    if not run.complete:
        return "the log ends before a payload of 4 GB: the log or the run was cut off; run it again"
    if not run.payloads:
        return "no row of its table has a bandwidth in numbers, only such as nan or inf; run it again, -b 4G -e 16G"
    largest = max(payload.size for payload in run.payloads)
    hint = "" if run.collective else ", or add --collective: some have published figures of smaller sizes"
    return f"the largest payload is {size_words(largest)}, too small to show the fabric; run -b 4G -e 16G{hint}"


def size_words(size: int) -> str:
    """A size as text, such as 4 GiB."""
    for unit, step in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= step:
            return f"{size / step:,.4g} {unit}"
    return f"{size} B"

"""The cost of spot for a job that stops when one of its nodes is reclaimed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gpucluster.cost.purchasing.settings import Settings
from gpucluster.cost.purchasing.taken_back import TakenBack


@dataclass(frozen=True, slots=True)
class Interruptions:
    """Interruption frequency of a multi-node job, and its remaining useful time.

    nodes: which must all run. per_hour: share of hours in which at least one is reclaimed. between: mean hours for
    which they all run. lost: hours lost by each interruption, half a checkpoint interval and the restart. useful:
    share of the paid hours in which the job makes lasting progress, 0 if interruptions are more frequent than
    checkpoints. All values are for the rate `taken.an_hour`.
    """

    taken: TakenBack
    nodes: Decimal
    per_hour: Decimal
    between: Decimal | None
    lost: Decimal
    useful: Decimal


def interruptions(nodes: Decimal, taken: TakenBack, settings: Settings) -> Interruptions:
    """Nodes are reclaimed independently of each other, at a constant rate.

    In an hour all of n nodes stay with (1 - rate)^n: 32 nodes at 2 % lose one in 48 % of hours. A run of mean length
    m = -1 / (n ln(1 - rate)) hours keeps all but half a checkpoint interval, and is followed by the restart, so that
    (m - interval / 2) / (m + restart) of the time is useful.
    """
    half, restart = settings.checkpoint_hours / 2, settings.restart_hours
    stay = 1 - taken.an_hour
    if not taken.an_hour or not nodes:
        return Interruptions(taken, nodes, Decimal(0), None, half + restart, Decimal(1))
    if not stay:
        return Interruptions(taken, nodes, Decimal(1), Decimal(0), half + restart, Decimal(0))
    per_hour = 1 - stay**nodes
    between = -1 / (nodes * stay.ln())
    useful = max(between - half, Decimal(0)) / (between + restart)
    return Interruptions(taken, nodes, per_hour, between, half + restart, useful)

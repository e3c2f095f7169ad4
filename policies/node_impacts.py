"""Effects of a plan on the nodes of each training and MIG pool, with the affected cost, in words for users."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate import estimate
from gpucluster.cost.model import HOURS_PER_MONTH, cents
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.rolls import Impact, impacts
from gpucluster.record import record

_WORDS: Final[dict[str, str]] = {
    "nothing": "nodes and jobs stay",
    "fewer": "nodes removed: {}; jobs on them end",
    "drain": "nodes stay and are drained; jobs on them end",
    "reboot": "nodes reboot, one at a time; jobs on them end",
    "rolling": "nodes are replaced or reimaged, one at a time; jobs on them end",
    "refused": "the cloud refuses this change of an existing pool; a new pool ends the jobs",
    "loss": "all nodes are released, and a new pool is created; jobs on them end",
}


@record(kw_only=True)
class NodeImpact:
    """usd: hourly cost of the GPUs whose jobs end, disks included; None without a known price."""

    impact: Impact
    usd: Decimal | None

    @property
    def harmless(self) -> bool:
        return self.impact.effect == "nothing"

    @property
    def what(self) -> str:
        """The effect on the nodes, e.g. `nodes taken away: 2; jobs on them end`."""
        return _WORDS[self.impact.effect].format(self.impact.gone)

    @property
    def at_stake(self) -> str:
        """The cost per hour since the last checkpoint; empty if no job ends."""
        if self.harmless:
            return ""
        gpus = self.impact.gpus
        hours = "GPU-hours not known" if gpus is None else f"{gpus:,} GPU-hours"
        return f"{hours}, {'price unknown' if self.usd is None else f'${self.usd:,.2f}'}"

    @property
    def sentence(self) -> str:
        because = ", ".join(self.impact.because)
        stake = f"; at stake for each hour since the last checkpoint: {self.at_stake}" if self.at_stake else ""
        return f"{self.impact.pool.name}, {self.impact.pool.label}: {self.what}; changed: {because}{stake}"


def node_impacts(changes: Changes) -> tuple[NodeImpact, ...]:
    """The effect on every pool that a plan changes."""
    found = tuple(impacts(changes))
    prices = dict(_hourly(changes)) if any(one.effect != "nothing" for one in found) else {}
    return tuple(NodeImpact(impact=one, usd=_usd(one, prices)) for one in found)


def _hourly(changes: Changes) -> Iterator[tuple[str, Decimal]]:
    """(URN, hourly cost) of every priced resource."""
    sums: dict[str, Decimal] = {}
    for line in estimate(changes.before).lines:
        sums[line.urn] = sums.get(line.urn, Decimal(0)) + line.monthly
    for urn, monthly in sums.items():
        yield urn, monthly / HOURS_PER_MONTH


def _usd(one: Impact, prices: dict[str, Decimal]) -> Decimal | None:
    hourly, nodes = prices.get(one.pool.resource.urn), one.pool.nodes
    if one.effect == "nothing" or not hourly:
        return None
    if one.effect == "fewer":
        return cents(hourly * one.gone / nodes) if isinstance(nodes, int) and nodes else None
    return cents(hourly)

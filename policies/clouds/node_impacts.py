"""Effects of a plan on the nodes of training and MIG pools, with the affected cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.nodes import Effect, NodeChange, covered, ends_jobs, node_changes, worst
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.pools import Machines, cloud_pools
from gpucluster.policies.engine.rule import Changes


@dataclass(frozen=True, kw_only=True)
class Impact:
    """The effect on the nodes of one pool. because: properties that cause it: those that end jobs, else those that
    remove nodes, else all. gone: number of nodes removed permanently.
    """

    pool: Machines
    effect: Effect
    because: tuple[str, ...]
    gone: int = 0

    @property
    def gpus(self) -> int | None:
        """GPUs whose jobs end; None if unknown."""
        machine = machines().get(self.pool.machine) if isinstance(self.pool.machine, str) else None
        nodes = self.gone if self.effect == "fewer" else self.pool.nodes
        if self.effect == "nothing":
            return 0
        return nodes * machine.gpus if machine is not None and isinstance(nodes, int) else None


def job_pools(resources: Resources) -> Mapping[str, Machines]:
    """URN -> resource that starts nodes of a training pool, or nodes with sliced GPUs."""
    training = [
        machines for cloud in cloud_pools().values() for pool in cloud.training_pools(resources) for machines in pool
    ]
    sliced = [
        machines for cloud in cloud_pools().values() for machines in cloud.machines_of(resources) if machines.sliced
    ]
    return {machines.resource.urn: machines for machines in (*training, *sliced)}


def impacts(changes: Changes) -> Iterator[Impact]:
    """A plan's effect on each existing pool that it changes, by name."""
    ended = {one.urn: one for one in changes.ended}
    for urn, pool in sorted(job_pools(changes.before).items(), key=lambda item: item[1].name):
        after = changes.after.get(urn)
        if urn in ended:
            because = ended[urn].because or (ended[urn].how,)
            yield Impact(pool=pool, effect="loss", because=because, gone=_count(pool))
        elif after is not None and after.type in covered():
            changed = _through_template(node_changes(after.type, pool.resource.inputs, after.inputs), pool, changes)
            if changed:
                decisive = ends_jobs(changed) or [one for one in changed if one.fewer] or changed
                gone = sum(one.fewer for one in changed) * pool.of_each_counted
                because = tuple(one.path for one in decisive)
                yield Impact(pool=pool, effect=worst(changed), because=because, gone=gone)


def rolls(changes: Changes) -> Iterator[Impact]:
    """Effects that end jobs in a pool shown as `~ update`; replacements are visible as such."""
    ended = {one.urn for one in changes.ended}
    for impact in impacts(changes):
        if impact.pool.resource.urn not in ended and impact.effect not in ("nothing", "fewer"):
            yield impact


def _count(pool: Machines) -> int:
    return pool.nodes if isinstance(pool.nodes, int) else 0


def _through_template(changed: tuple[NodeChange, ...], pool: Machines, changes: Changes) -> tuple[NodeChange, ...]:
    """For an unknown launch template version, the changes in the template; tags create no version."""
    version = "launchTemplate.version"
    after = changes.after.get(pool.resource.urn)
    moved = any(one.path == version for one in changed)
    if not moved or after is None or at(after.inputs, "launchTemplate", "version") is not UNKNOWN:
        return changed
    new = changes.after.get(pool.template.urn) if isinstance(pool.template, Resource) else None
    if not isinstance(pool.template, Resource) or new is None:
        return changed
    inside = node_changes(pool.template.type, pool.template.inputs, new.inputs)
    named = (
        NodeChange(path=f"{one.path} of {pool.template.name}", effect=one.effect)
        for one in inside
        if one.effect != "nothing"
    )
    return (*(one for one in changed if one.path != version), *named)


_DESCRIPTIONS: Final[dict[str, str]] = {
    "nothing": "nodes and jobs stay",
    "fewer": "nodes removed: {}; jobs on them end",
    "drain": "nodes stay and are drained; jobs on them end",
    "reboot": "nodes reboot, one at a time; jobs on them end",
    "rolling": "nodes are replaced or reimaged, one at a time; jobs on them end",
    "refused": "the cloud refuses this change of an existing pool; a new pool ends the jobs",
    "loss": "all nodes are released, and a new pool is created; jobs on them end",
}
_NO_OTHER: Final = "all nodes are released; jobs on them end"


@dataclass(frozen=True, kw_only=True)
class NodeImpact:
    """usd: hourly cost of the nodes whose jobs end, disks included, for as many nodes as the GPU-hours count; None
    without a known price.
    """

    impact: Impact
    usd: Decimal | None

    @property
    def harmless(self) -> bool:
        return self.impact.effect == "nothing"

    @property
    def what(self) -> str:
        """The effect on the nodes, e.g. `nodes taken away: 2; jobs on them end`."""
        if self.impact.because == ("deleted",):
            return _NO_OTHER
        return _DESCRIPTIONS[self.impact.effect].format(self.impact.gone)

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
    return with_cost(tuple(impacts(changes)), changes)


def with_cost(found: Sequence[Impact], changes: Changes) -> tuple[NodeImpact, ...]:
    """Effects of a plan with the cost of the GPUs whose jobs end."""
    prices = _hourly(changes) if any(one.effect != "nothing" for one in found) else {}
    return tuple(NodeImpact(impact=one, usd=_usd(one, prices)) for one in found)


def _hourly(changes: Changes) -> dict[str, Decimal]:
    """URN -> hourly cost of one node of each priced pool: of the nodes that are expected to run, over their number."""
    from gpucluster.cost.estimate.estimate import estimate  # prices are loaded only for a plan with effects
    from gpucluster.cost.pricing.model import HOURS_PER_MONTH

    sums: dict[str, Decimal] = {}
    nodes: dict[str, Decimal] = {}
    for line in estimate(changes.before).lines:
        sums[line.urn] = sums.get(line.urn, Decimal(0)) + line.monthly
        if line.unit == "instance-hour":
            nodes[line.urn] = nodes.get(line.urn, Decimal(0)) + line.machines
    return {urn: sums[urn] / HOURS_PER_MONTH / count for urn, count in nodes.items() if count}


def _usd(one: Impact, prices: dict[str, Decimal]) -> Decimal | None:
    from gpucluster.cost.pricing.model import cents

    each = prices.get(one.pool.resource.urn)
    nodes = one.gone if one.effect == "fewer" else one.pool.nodes
    if one.effect == "nothing" or not each or not isinstance(nodes, int):
        return None
    return cents(each * nodes)

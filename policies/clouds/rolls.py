"""Effects of a plan on the nodes of training and MIG pools: of all pools, and of those whose jobs end unnoticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpucluster.catalog.machines import machines
from gpucluster.catalog.node_changes import Effect, NodeChange, covered, ends_jobs, node_changes, worst
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.machines import Machines
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import at
from gpucluster.record import record


@record(kw_only=True)
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
                told = ends_jobs(changed) or [one for one in changed if one.fewer] or changed
                gone = sum(one.fewer for one in changed)
                because = tuple(one.path for one in told)
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

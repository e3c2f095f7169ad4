"""Which nodes a plan replaces without replacing their pool: updates that the clouds carry out node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpucluster.catalog.node_changes import in_place, recycling
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.machines import Machines
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import at

__all__ = ["Roll", "job_pools", "rolls"]


@dataclass(frozen=True, kw_only=True)
class Roll:
    """because: properties that the clouds do not apply to running nodes."""

    pool: Machines
    because: tuple[str, ...]


def job_pools(resources: Resources) -> Mapping[str, Machines]:
    """URN -> what starts nodes of a training pool, or nodes whose GPUs are sliced."""
    training = [machines for cloud in cloud_pools() for pool in cloud.training_pools(resources) for machines in pool]
    sliced = [machines for cloud in cloud_pools() for machines in cloud.sliced_pools(resources)]
    return {machines.resource.urn: machines for machines in (*training, *sliced)}


def rolls(changes: Changes) -> Iterator[Roll]:
    """What a plan updates of these pools so that their nodes go one by one."""
    replaced = {ended.urn for ended in changes.ended}
    for urn, pool in job_pools(changes.before).items():
        after = changes.after.get(urn)
        if after is None or urn in replaced or after.type not in in_place():
            continue
        because = _named(recycling(after.type, pool.resource.inputs, after.inputs), pool, after, changes)
        if because:
            yield Roll(pool=pool, because=because)


def _named(changed: tuple[str, ...], pool: Machines, after: Resource, changes: Changes) -> tuple[str, ...]:
    """A version of a launch template that is not known yet, as what changes in the template; tags make none."""
    version = "launchTemplate.version"
    if version not in changed or at(after.inputs, "launchTemplate", "version") is not UNKNOWN:
        return changed
    new = changes.after.get(pool.template.urn) if isinstance(pool.template, Resource) else None
    if not isinstance(pool.template, Resource) or new is None:
        return changed
    inside = recycling(pool.template.type, pool.template.inputs, new.inputs)
    return (*(name for name in changed if name != version), *(f"{name} of {pool.template.name}" for name in inside))

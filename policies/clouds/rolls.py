"""Which nodes a plan replaces without replacing their pool: updates that the clouds carry out node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpucluster.catalog.node_changes import in_place, recycling
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.aws import training_pools as aws
from gpucluster.policies.clouds.azure import agent_pools as azure
from gpucluster.policies.clouds.gcp import node_pools as gcp
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
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
    training = [
        machines for cloud in (aws, azure, gcp) for pool in cloud.training_pools(resources) for machines in pool
    ]
    return {machines.resource.urn: machines for machines in (*training, *_sliced(resources))}


def _sliced(resources: Resources) -> Iterator[Machines]:
    yield from (machines for machines in aws.machines_of(resources) if sliced_by_label(machines.labels))
    yield from (pool for pool in azure.every_pool(resources) if pool.written.sliced)
    yield from (pool for pool in gcp.node_pools(resources) if pool.written.sliced)


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
    template = pool.template if isinstance(pool, aws.AwsMachines) else None
    if version not in changed or at(after.inputs, "launchTemplate", "version") is not UNKNOWN:
        return changed
    new = changes.after.get(template.urn) if isinstance(template, Resource) else None
    if not isinstance(template, Resource) or new is None:
        return changed
    inside = recycling(template.type, template.inputs, new.inputs)
    return (*(name for name in changed if name != version), *(f"{name} of {template.name}" for name in inside))

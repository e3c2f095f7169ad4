"""A plan that makes the nodes of a training pool anew says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import Resources
from policies.changes import Changes
from policies.clouds.aws import training_pools as aws
from policies.clouds.azure import agent_pools as azure
from policies.clouds.gcp import node_pools as gcp
from policies.clouds.holdings import NODE_POOL, losses, types
from policies.rule import ChangeRule, Finding, Severity

__all__ = ["RULE"]


def check(changes: Changes) -> Iterator[Finding]:
    training = _training(changes.before)
    for old, finding in losses(changes, NODE_POOL):
        if old.urn in training:
            yield finding


def _training(resources: Resources) -> set[str]:
    """URNs of the resources that start nodes of a training pool."""
    return {
        machines.resource.urn
        for cloud in (aws, azure, gcp)
        for pool in cloud.training_pools(resources)
        for machines in pool
    }


RULE: Final = ChangeRule(
    name="replacement-of-training-pool",
    title="No plan replaces the nodes of a training pool while they train",
    why="Every job on the pool stops. The old nodes are held until the new ones run, which takes twice the capacity, "
    "or given back first, and then somebody else may take them; a job loses what it did since its last checkpoint.",
    fix="Apply it between jobs, after a checkpoint; or take the change back that forces the replacement, or give the "
    "pool an alias where only its name changed.",
    reads=f"what a plan replaces of {types(NODE_POOL)}, where the stack has a training pool of them",
    severity=Severity.HIGH,
    check=check,
)

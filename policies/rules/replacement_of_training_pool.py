"""A plan that takes nodes from running jobs is allowed by the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.holdings import NODE_POOL
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.holdings import losses, types
from gpucluster.policies.clouds.rolls import Roll, job_pools, rolls
from gpucluster.policies.rule import Accepted, ChangeRule, Finding, Severity, Violation
from gpucluster.program.facts import stated
from gpucluster.program.resources import Resource

__all__ = ["RULE"]


def check(changes: Changes) -> Iterator[Finding]:
    for old, finding in _found(changes):
        part = _allowed(old, changes)
        if part is not None and isinstance(finding, Violation):
            yield Accepted(old, finding.what, f"the spec allows it for `{part}`")
        else:
            yield finding


def _found(changes: Changes) -> Iterator[tuple[Resource, Finding]]:
    pools = job_pools(changes.before)
    for old, finding in losses(changes, NODE_POOL):
        if old.urn in pools:
            yield old, finding
    for roll in rolls(changes):
        yield roll.pool.resource, Violation(roll.pool.resource, _words(roll))


def _words(roll: Roll) -> str:
    because = ", ".join(f"`{name}`" for name in roll.because)
    return f"replaces {roll.pool.label}, one at a time, because of {because}; jobs on them end"


def _allowed(old: Resource, changes: Changes) -> str | None:
    """The component around it whose nodes may go, as a component of the new program states in its fact `rolls`."""
    named = {name for each in stated(changes.after) for name in each.facts.rolls}
    return next((parent.name for parent in changes.before.parents(old) if parent.name in named), None)


RULE: Final = ChangeRule(
    name="replacement-of-training-pool",
    title="No plan replaces the nodes of a training or MIG pool, at once or one by one, unless the spec says so",
    why="Every job on the pool ends and loses what it did since its last checkpoint: one node that goes is enough. "
    "The old nodes are held until the new ones run, which takes more capacity, or given back first, and then somebody "
    "else may take them. An update of a template, an image or a version shows as a small change in a preview.",
    fix="Take the change back, or apply it between jobs, after a checkpoint, with `roll: true` under training or mig "
    "in the spec; give the pool an alias where only its name changed.",
    reads=f"what a plan replaces of {types(NODE_POOL)}, and what it changes of node pools and launch templates that is "
    "not applied to running nodes (catalog/node_changes.csv); the fact rolls",
    severity=Severity.HIGH,
    check=check,
)

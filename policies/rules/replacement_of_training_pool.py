"""The spec allows a plan that removes nodes from running jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.resource_types import NODE_POOL
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import Resource
from gpucluster.policies.clouds.holdings import losses, types
from gpucluster.policies.clouds.node_impacts import Impact, job_pools, rolls
from gpucluster.policies.clouds.opaque_pools import opaque_pools
from gpucluster.policies.engine.rule import (
    Accepted,
    CannotTell,
    ChangeRule,
    Changes,
    Enforcement,
    Finding,
    Severity,
    Violation,
)


def check(changes: Changes) -> Iterator[Finding]:
    for old, finding in _found(changes):
        part = _allowed(old, changes)
        if part is not None and isinstance(finding, Violation):
            yield Accepted(old, finding.what, f"the spec allows it for `{part}`")
        else:
            yield finding


def _found(changes: Changes) -> Iterator[tuple[Resource, Finding]]:
    pools = job_pools(changes.before)
    hidden = {machines.resource.urn: why for machines, why in opaque_pools(changes.before)}
    for old, finding in losses(changes, NODE_POOL):
        if old.urn in pools:
            yield old, finding
        elif old.urn in hidden:
            yield old, CannotTell(old, hidden[old.urn])
    for roll in rolls(changes):
        yield roll.pool.resource, Violation(roll.pool.resource, _description(roll))


_DESCRIPTIONS: Final[dict[str, str]] = {
    "drain": "drains {}",
    "reboot": "reboots {}, one at a time,",
    "rolling": "replaces {}, one at a time,",
    "refused": "needs a new pool for {}, because the cloud does not change it on running nodes,",
    "loss": "replaces {}, all at once,",
}


def _description(roll: Impact) -> str:
    because = ", ".join(f"`{name}`" for name in roll.because)
    return f"{_DESCRIPTIONS[roll.effect].format(roll.pool.label)} because of {because}; jobs on them end"


def _allowed(old: Resource, changes: Changes) -> str | None:
    """The component around it whose nodes may be replaced, from the fact `rolls` of a component in the new program."""
    named = {name for each in read_registered_facts(changes.after) for name in each.facts.rolls}
    return next((parent.name for parent in changes.before.parents(old) if parent.name in named), None)


RULE: Final = ChangeRule(
    name="replacement-of-training-pool",
    title="No plan replaces nodes of a training or MIG pool, all at once or one by one, unless the spec allows it",
    why="Every job on the pool ends and loses its work since the last checkpoint: one replaced node is enough. Old "
    "nodes either run until the new ones do, which needs more capacity, or are released first, when another customer "
    "may take them. In a preview, an update of a template, an image or a version looks like a small change.",
    fix="Revert the change, or apply it between jobs, after a checkpoint, with `roll: true` under training or mig in "
    "the spec; give the pool an alias if only its name changed.",
    reads=f"resources that a plan replaces, of types {types(NODE_POOL)}, and changes of node pools and launch "
    "templates that the cloud does not apply to running nodes (gpucluster/core/catalog/node_changes.csv); "
    "the fact rolls",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=220,
    check=check,
)

"""No plan deletes the data of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.resource_types import SHARED_STORAGE
from gpucluster.policies.clouds.holdings import losses, shrinking, types
from gpucluster.policies.engine.rule import ChangeRule, Changes, Enforcement, Finding, Severity


def check(changes: Changes) -> Iterator[Finding]:
    for _, finding in losses(changes, SHARED_STORAGE):
        yield finding
    yield from shrinking(changes, SHARED_STORAGE)


RULE: Final = ChangeRule(
    name="no-loss-of-shared-storage",
    title="No plan deletes, replaces or shrinks shared storage",
    why="Data sets and checkpoints are lost, permanently without a backup: every GPU-hour since the last copy is "
    "paid for again, and all nodes wait while the data is reloaded.",
    fix="Revert the change that forces the replacement, or give the resource an alias if only its name changed. To "
    "move or shrink on purpose: create the new storage next to the old one, copy, and delete the old one in a "
    "separate update, with an exemption; retain_on_delete keeps it in the cloud, and on the bill.",
    reads=f"resources that a plan deletes, replaces or shrinks, of types {types(SHARED_STORAGE)}",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=190,
    check=check,
)

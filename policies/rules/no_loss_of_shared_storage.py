"""No plan deletes the data of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.catalog.resource_types import CONTENTS, ENCRYPTION_KEY, SHARED_STORAGE
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import at, flag, is_object, known_items, text
from gpucluster.policies.clouds.holdings import losses, shrinking, types, unreadable
from gpucluster.policies.engine.rule import ChangeRule, Changes, Enforcement, Finding, Severity, Violation


def check(changes: Changes) -> Iterator[Finding]:
    for holds in (SHARED_STORAGE, CONTENTS):
        for _, finding in losses(changes, holds):
            yield finding
    yield from shrinking(changes, SHARED_STORAGE)
    yield from unreadable(changes)
    yield from _expiring(changes)


def _expiring(changes: Changes) -> Iterator[Finding]:
    """Buckets of which a new rule of their lifecycle deletes every object after a day or less."""
    for new in changes.after:
        if not new.type.endswith(_LIFECYCLES):
            continue
        old = changes.before.get(new.urn)
        if any(_deletes_all(rule) for rule in _rules(new)) and not (old and any(map(_deletes_all, _rules(old)))):
            yield Violation(new, "a rule of the lifecycle deletes every object after a day or less")


_LIFECYCLES: Final = (
    *("/bucket:Bucket", "/bucketV2:BucketV2", "/bucketLifecycleConfiguration:BucketLifecycleConfiguration"),
    *("/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2", "storage:ManagementPolicy"),
)
"""Ends of types."""


def _rules(bucket: Resource) -> list[Any]:
    policy = known_items(bucket.inputs, "policy", "rules")
    return [*known_items(bucket.inputs, "lifecycleRules"), *known_items(bucket.inputs, "rules"), *policy]


def _deletes_all(rule: Any) -> bool:
    """Whether an enabled rule of any cloud deletes all objects of its bucket or account, a day after their creation or
    change at the latest."""
    if text(rule, "status") == "Disabled" or flag(rule, "enabled") is False:
        return False
    limits = (
        *(("filter", one) for one in ("prefix", "tag", "and", "objectSizeLessThan", "objectSizeGreaterThan")),
        *(("condition", one) for one in _CONDITIONS),
        *(("definition", "filters", one) for one in ("prefixMatch", "blobIndexMatch")),
        ("prefix",),
        ("tags",),
    )
    if any(at(rule, *limit) not in (None, "", [], {}) for limit in limits):
        return False
    old = at(rule, "condition", "age") if text(rule, "action", "type") == "Delete" else None
    blobs = at(rule, "definition", "actions", "baseBlob", "delete")
    ages = [at(rule, "expiration", "days"), old, *(blobs.values() if is_object(blobs) else ())]
    return any(isinstance(age, int | float) and not isinstance(age, bool) and age <= 1 for age in ages)


_CONDITIONS: Final = (
    *("createdBefore", "customTimeBefore", "daysSinceCustomTime", "daysSinceNoncurrentTime", "matchesPrefixes"),
    *("matchesStorageClasses", "matchesSuffixes", "noncurrentTimeBefore", "numNewerVersions", "withState"),
)


RULE: Final = ChangeRule(
    name="no-loss-of-shared-storage",
    title="No plan deletes, replaces, empties or shrinks shared storage",
    why="Data sets and checkpoints are lost, permanently without a backup: every GPU-hour since the last copy is "
    "paid for again, and all nodes wait while the data is reloaded.",
    fix="Revert the change that forces the replacement, or give the resource an alias if only its name changed. To "
    "move or shrink on purpose: create the new storage next to the old one, copy, and delete the old one in a "
    "separate update, with an exemption; retain_on_delete keeps it in the cloud, and on the bill.",
    reads=f"resources that a plan deletes, replaces or shrinks, of types {types(SHARED_STORAGE)}; what contains or "
    f"encrypts them: {types(CONTENTS)}, {types(ENCRYPTION_KEY)}; new rules of the lifecycle of buckets and storage "
    "accounts",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=190,
    check=check,
)

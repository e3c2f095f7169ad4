"""Data that outlives a trial is protected from deletion by a single command, or has a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import flag, whole
from gpucluster.policies.clouds.file_systems import TYPES, file_systems
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ENDS: Final = "durationDays"
_BACKUPS: Final = "automaticBackupRetentionDays"
_LOCK: Final = "deletionProtectionEnabled"


def check(stack: Stack) -> Iterator[Finding]:
    temporary = {each.component.urn for each in read_registered_facts(stack.resources) if _ENDS in each.names}
    for found in file_systems(stack.resources):
        resource = found.resource
        if resource.protect or any(parent.urn in temporary for parent in stack.resources.parents(resource)):
            continue
        backups, locked = whole(resource.inputs, _BACKUPS), flag(resource.inputs, _LOCK)
        if (isinstance(backups, int) and backups > 0) or locked is True:
            continue
        if backups is UNKNOWN or locked is UNKNOWN:
            yield CannotTell(resource, "whether it is backed up or protected is not known yet")
        else:
            yield Violation(resource, "neither protected nor backed up")


RULE: Final = StackRule(
    name="shared-storage-protected",
    title="Shared storage of a cluster without an end is protected or backed up",
    why="One `pulumi destroy`, or one rename, deletes data sets and checkpoints permanently: every GPU-hour since "
    "the last copy is paid for again.",
    fix=f"Set the resource option protect, or {_BACKUPS} on FSx, or {_LOCK} on Filestore; set the fact {_ENDS} for a "
    "cluster that has an end.",
    reads=f"{TYPES}; the fact {_ENDS}",
    spec="storage.shared.protect",
    severity=Severity.MEDIUM,
    order=90,
    check=check,
)

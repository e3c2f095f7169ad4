"""No claim makes a file system that no plan shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.storage_classes import FILE_SYSTEM_DRIVERS, GIVEN_CLASSES
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, text

__all__ = ["RULE"]

_CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"
_CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"

# A class that names the file system it takes its volumes from makes directories, not file systems.
_EXISTING: Final = ("fileSystemId", "mgs-ip-address", "dnsname")


def check(stack: Stack) -> Iterator[Finding]:
    makers: set[str] = set()
    for storage_class in stack.resources.of_type(_CLASS):
        driver, parameters = text(storage_class.inputs, "provisioner"), at(storage_class.inputs, "parameters")
        existing = any(at(parameters, name) is not None for name in _EXISTING)
        if driver is UNKNOWN or (driver in FILE_SYSTEM_DRIVERS and parameters is UNKNOWN):
            yield CannotTell(storage_class, "whether its claims make file systems is not known yet")
        elif isinstance(driver, str) and driver in FILE_SYSTEM_DRIVERS and not existing:
            name = text(storage_class.inputs, "metadata", "name")
            makers.update([name] if isinstance(name, str) else ())
            yield Violation(storage_class, f"each claim of it makes {FILE_SYSTEM_DRIVERS[driver]}")
    for claim in stack.resources.of_type(_CLAIM):
        yield from _of_claim(claim, makers)


def _of_claim(claim: Resource, makers: set[str]) -> Iterator[Finding]:
    named, volume = text(claim.inputs, "spec", "storageClassName"), text(claim.inputs, "spec", "volumeName")
    if volume is not None or named in makers:  # the class is the finding
        return
    if isinstance(named, str) and named in GIVEN_CLASSES:
        yield Violation(claim, f"storageClassName {named}, which makes {GIVEN_CLASSES[named]}")


RULE: Final = StackRule(
    name="no-dynamic-file-systems",
    title="No claim makes a file system outside the plan",
    why="What a claim makes stands in no plan and no total, carries no labels, and stays on the bill when the stack "
    "is destroyed; the least size of a parallel file system is thousands of dollars a month.",
    fix="Declare the file system, a PersistentVolume on it, and a claim with storageClassName '' and volumeName.",
    reads=f"{_CLASS}, {_CLAIM}",
    severity=Severity.MEDIUM,
    check=check,
)

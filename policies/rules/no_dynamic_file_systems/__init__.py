"""No claim creates a file system that is missing in every plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.storage_classes import FILE_SYSTEM_DRIVERS, GIVEN_CLASSES
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, items, text

_CLASS: Final = "kubernetes:storage.k8s.io/v1:StorageClass"
_CLAIM: Final = "kubernetes:core/v1:PersistentVolumeClaim"
_SET: Final = "kubernetes:apps/v1:StatefulSet"
# Kubernetes documentation, Persistent Volumes, "Class": the annotation still works.
_OLDER: Final = "volume.beta.kubernetes.io/storage-class"

# A class that names its file system creates directories, not file systems.
_EXISTING: Final = ("fileSystemId", "mgs-ip-address", "dnsname")


def check(stack: Stack) -> Iterator[Finding]:
    makers: set[str] = set()
    for storage_class in stack.resources.of_type(_CLASS):
        driver, parameters = text(storage_class.inputs, "provisioner"), at(storage_class.inputs, "parameters")
        existing = any(at(parameters, name) is not None for name in _EXISTING)
        if driver is UNKNOWN or (driver in FILE_SYSTEM_DRIVERS and parameters is UNKNOWN):
            yield CannotTell(storage_class, "whether its claims create file systems is not known yet")
        elif isinstance(driver, str) and driver in FILE_SYSTEM_DRIVERS and not existing:
            name = text(storage_class.inputs, "metadata", "name")
            makers.update([name] if isinstance(name, str) else ())
            yield Violation(storage_class, f"each of its claims creates {FILE_SYSTEM_DRIVERS[driver]}")
    for claim in stack.resources.of_type(_CLAIM):
        yield from _of_claim(claim, claim.inputs, makers)
    for pods in stack.resources.of_type(_SET):
        templates = items(pods.inputs, "spec", "volumeClaimTemplates")
        for template in [] if templates is UNKNOWN else templates:
            yield from _of_claim(pods, template, makers)


def _of_claim(resource: Resource, claim: object, makers: set[str]) -> Iterator[Finding]:
    older = text(claim, "metadata", "annotations", _OLDER)
    named, volume = text(claim, "spec", "storageClassName"), text(claim, "spec", "volumeName")
    named = older if named is None else named
    if volume is not None or named in makers:  # the class is reported
        return
    if named is UNKNOWN:
        yield CannotTell(resource, "whether its storage class creates a file system is not known yet")
    elif isinstance(named, str) and named in GIVEN_CLASSES:
        yield Violation(resource, f"storageClassName {named}, which creates {GIVEN_CLASSES[named]}")


RULE: Final = StackRule(
    name="no-dynamic-file-systems",
    title="No claim creates a file system outside the plan",
    why="A file system that a claim creates is in no plan and no total, has no labels, and stays on the bill after "
    "the stack is destroyed. The smallest parallel file system costs thousands of dollars a month.",
    fix="Declare the file system, a PersistentVolume on it, and a claim with storageClassName '' and volumeName.",
    reads=f"{_CLASS}, {_CLAIM}, {_SET}",
    severity=Severity.MEDIUM,
    order=100,
    check=check,
)

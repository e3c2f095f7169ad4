"""No claim creates a file system that is missing in every plan.

Sources: names of the drivers in aws-fsx-csi-driver, aws-fsx-openzfs-csi-driver, GKE pages "Managed Lustre CSI driver"
and "Filestore CSI driver" (with the classes GKE installs), azurelustre-csi-driver, AKS page "Azure Files CSI driver"
(with the classes AKS installs). efs.csi.aws.com only creates directories in an existing file system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import at, known_items, text
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_FILESTORE: Final = "a Filestore instance"
_FILES: Final = "a share of Azure Files"

_DRIVERS: Final[Mapping[str, str]] = {
    "fsx.csi.aws.com": "an FSx for Lustre file system",
    "fsx.openzfs.csi.aws.com": "an FSx for OpenZFS volume or file system",
    "lustre.csi.storage.gke.io": "a Managed Lustre instance",
    "filestore.csi.storage.gke.io": _FILESTORE,
    "azurelustre.csi.azure.com": "an Azure Managed Lustre file system",
    "file.csi.azure.com": _FILES,
}
"""Provisioner -> what each claim of its class creates."""

_GIVEN_CLASSES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("standard-rwx", "premium-rwx", "enterprise-rwx", "zonal-rwx"), _FILESTORE),
    **dict.fromkeys(("azurefile", "azurefile-csi", "azurefile-premium", "azurefile-csi-premium"), _FILES),
}
"""Classes that exist in every cluster of their cloud."""


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
        if driver is UNKNOWN or (driver in _DRIVERS and parameters is UNKNOWN):
            yield CannotTell(storage_class, "whether its claims create file systems is not known yet")
        elif isinstance(driver, str) and driver in _DRIVERS and not existing:
            name = text(storage_class.inputs, "metadata", "name")
            makers.update([name] if isinstance(name, str) else ())
            yield Violation(storage_class, f"each of its claims creates {_DRIVERS[driver]}")
    for claim in stack.resources.of_type(_CLAIM):
        yield from _of_claim(claim, claim.inputs, makers)
    for pods in stack.resources.of_type(_SET):
        for template in known_items(pods.inputs, "spec", "volumeClaimTemplates"):
            yield from _of_claim(pods, template, makers)


def _of_claim(resource: Resource, claim: object, makers: set[str]) -> Iterator[Finding]:
    older = text(claim, "metadata", "annotations", _OLDER)
    named, volume = text(claim, "spec", "storageClassName"), text(claim, "spec", "volumeName")
    named = older if named is None else named
    if volume is not None or named in makers:  # the class is reported
        return
    if named is UNKNOWN:
        yield CannotTell(resource, "whether its storage class creates a file system is not known yet")
    elif isinstance(named, str) and named in _GIVEN_CLASSES:
        yield Violation(resource, f"storageClassName {named}, which creates {_GIVEN_CLASSES[named]}")


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

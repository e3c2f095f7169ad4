"""Training data is encrypted at rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import at, flag, items
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ACCOUNT: Final = "aws:ebs/encryptionByDefault:EncryptionByDefault"
_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
_ITSELF: Final = ("aws:ebs/volume:Volume", "aws:efs/fileSystem:FileSystem")


def _aws(stack: Stack) -> Iterator[Finding]:
    """Encryption of EBS disks and EFS; FSx always encrypts (FSx user guides, "Data encryption at rest").

    EBS encrypts disks without a setting if the account's default does (EBS user guide, "Encryption by default"); a
    stack that sets that default is trusted.
    """
    by_account = any(flag(of.inputs, "enabled") is not False for of in stack.resources.of_type(_ACCOUNT))
    starting = (aws.LAUNCH_TEMPLATE, aws.LAUNCH_CONFIGURATION, aws.INSTANCE, _CLASS)
    for resource in stack.resources.of_type(*starting, *_ITSELF):
        found = _encrypted(resource)
        if False in found and (not by_account or resource.type == _ITSELF[1]):
            yield Violation(resource, "a disk that is not encrypted" if resource.type in starting else "not encrypted")
        elif UNKNOWN in found:
            yield CannotTell(resource, "whether it is encrypted is not known yet")


def _encrypted(resource: Resource) -> list[bool | Unknown]:
    """A value for each declared disk; a disk without a setting counts as not encrypted."""
    if resource.type in _ITSELF:
        return [_or_false(flag(resource.inputs, "encrypted"))]
    way = {aws.LAUNCH_TEMPLATE: ("blockDeviceMappings",), _CLASS: ("spec", "blockDeviceMappings")}.get(resource.type)
    if way is None:
        disks = [*_listed(resource.inputs, "ebsBlockDevices"), *_listed(resource.inputs, "rootBlockDevice")]
        return [_or_false(flag(disk, "encrypted")) for disk in disks]
    listed = items(resource.inputs, *way)
    if listed is UNKNOWN:
        return [UNKNOWN]
    return [
        _or_false(flag(disk, "ebs", "encrypted")) for disk in listed if disk is UNKNOWN or disk.get("ebs") is not None
    ]


def _listed(inputs: object, name: str) -> list[object]:
    found = at(inputs, name)
    if isinstance(found, list):
        return cast("list[object]", found)
    return [] if found is None else [found]


def _or_false(found: bool | Unknown | None) -> bool | Unknown:
    return False if found is None else found


RULE: Final = StackRule(
    name="disks-encrypted",
    title="Disks and file systems are encrypted",
    why="A snapshot of a disk holds data sets, checkpoints and credentials of its nodes. A disk cannot be encrypted "
    "later: it is replaced, with its nodes. Google Cloud and Azure encrypt every disk by default.",
    severity=Severity.MEDIUM,
    order=130,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, {_CLASS}, {', '.join(_ITSELF)}",
            fix="Set encrypted to true on every disk of the launch template, instance or node class, and on the file "
            "system.",
        ),
        types=False,
        template=True,
    ),
)

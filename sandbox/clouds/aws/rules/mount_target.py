"""Mount targets of EFS.

Source: Amazon EFS API, CreateMountTarget and its errors.
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_TARGET: Final = "aws:efs/mountTarget:MountTarget"
_SUBNET: Final = "aws:ec2/subnet:Subnet"


@rule(_TARGET)
def one_mount_target_a_zone(managed: ManagedResource) -> None:
    """A file system has one mount target in each zone, all in one VPC."""
    subnet = managed.other(_SUBNET, managed.inputs["subnetId"])
    if subnet is None:
        message = f"The subnet ID '{managed.inputs['subnetId']}' does not exist"
        raise refused(managed, "EFS: CreateMountTarget", 400, "SubnetNotFound", message)
    for entry in managed.others(_TARGET, managed.inputs["fileSystemId"]):
        other = managed.other(_SUBNET, entry.inputs["subnetId"])
        if entry.inputs["fileSystemId"] != managed.inputs["fileSystemId"] or other is None:
            continue
        if other.outputs["availabilityZone"] == subnet.outputs["availabilityZone"]:
            message = "mount target already exists in this AZ"
            raise refused(managed, "EFS: CreateMountTarget", 409, "MountTargetConflict", message)
        if other.inputs["vpcId"] != subnet.inputs["vpcId"]:
            message = "requested subnet for new mount target is not in the same VPC as existing mount targets"
            raise refused(managed, "EFS: CreateMountTarget", 409, "MountTargetConflict", message)


@rule(_TARGET)
def file_system_exists(managed: ManagedResource) -> None:
    """The file system exists."""
    id_ = managed.inputs["fileSystemId"]
    if managed.other("aws:efs/fileSystem:FileSystem", id_) is None:
        message = f"File system '{id_}' does not exist."
        raise refused(managed, "EFS: CreateMountTarget", 404, "FileSystemNotFound", message)

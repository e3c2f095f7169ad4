"""FSx for Lustre, its links to buckets, and mount targets of EFS.

Sources: Amazon FSx API, CreateDataRepositoryAssociation; FSx for Lustre user guide, "Linking your file system to an
Amazon S3 bucket".

Sources: Amazon FSx API, CreateFileSystem `StorageCapacity` and CreateFileSystemLustreConfiguration
`PerUnitStorageThroughput`; FSx for Lustre user guide, "Managing storage capacity".

Source: Amazon EFS API, CreateMountTarget and its errors.
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule

_ASSOCIATION: Final = "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"
_LUSTRE: Final = "aws:fsx/lustreFileSystem:LustreFileSystem"
_MOST: Final = 8
"""Maximum associations of one file system."""


@rule(_ASSOCIATION)
def linked_file_system_exists(managed: ManagedResource) -> None:
    """The file system exists, and its type supports associations: SCRATCH_1 does not."""
    id_ = managed.inputs["fileSystemId"]
    found = managed.other(_LUSTRE, id_)
    if found is None:
        raise _refused(managed, "FileSystemNotFound", f"File system '{id_}' does not exist.", status=404)
    if (found.inputs.get("deploymentType") or "SCRATCH_1") == "SCRATCH_1":
        raise _refused(managed, "BadRequest", "Data repository associations are not supported for SCRATCH_1")


@rule(_ASSOCIATION)
def repository_is_a_bucket(managed: ManagedResource) -> None:
    """The repository is an S3 bucket or a prefix in one."""
    path = str(managed.inputs["dataRepositoryPath"])
    if not path.startswith("s3://") or not 3 <= len(path) <= 900:
        raise _refused(managed, "BadRequest", f"DataRepositoryPath {path!r} must begin with s3://")


@rule(_ASSOCIATION)
def paths_do_not_overlap(managed: ManagedResource) -> None:
    """Two associations of one file system share no directory and no prefix, and there are at most eight."""
    file_system = managed.inputs["fileSystemId"]
    others = [
        entry for entry in managed.others(_ASSOCIATION, file_system) if entry.inputs.get("fileSystemId") == file_system
    ]
    if len(others) >= _MOST:
        raise _refused(
            managed, "ServiceLimitExceeded", f"A file system has at most {_MOST} data repository associations"
        )
    for entry in others:
        for key, words in (("fileSystemPath", "FileSystemPath"), ("dataRepositoryPath", "DataRepositoryPath")):
            prefix, other = (f"{str(path).rstrip('/')}/" for path in (managed.inputs[key], entry.inputs[key]))
            if prefix.startswith(other) or other.startswith(prefix):
                raise _refused(
                    managed, "BadRequest", f"{words} {managed.inputs[key]} overlaps with {entry.inputs[key]}"
                )


def _refused(managed: ManagedResource, code: str, message: str, status: int = 400) -> Exception:
    return refused(managed, "FSx: CreateDataRepositoryAssociation", status, code, message)


_STEP: Final = 2400
"""GiB, after the smallest sizes of 1,200 and 2,400."""

_EFA_STEPS: Final = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""MB/s per TiB -> GiB, for PERSISTENT_2 SSD with EFA."""

_THROUGHPUT: Final = {
    ("PERSISTENT_1", "SSD"): (50, 100, 200),
    ("PERSISTENT_1", "HDD"): (12, 40),
    ("PERSISTENT_2", "SSD"): tuple(_EFA_STEPS),
}
"""MB/s per TiB that each type of file system supports."""


@rule(_LUSTRE)
def throughput_is_one_that_is_sold(managed: ManagedResource) -> None:
    """Persistent file systems need a throughput per TiB from a short list; scratch ones have none."""
    kind = (_deployment(managed), _storage(managed))
    given = managed.inputs.get("perUnitStorageThroughput")
    allowed = _THROUGHPUT.get(kind)
    if allowed is not None and given not in allowed:
        words = ", ".join(map(str, allowed))
        raise _lustre_refused(
            managed, f"PerUnitStorageThroughput {given} is not valid for {kind[0]} {kind[1]}; valid: {words}"
        )
    if kind[0].startswith("SCRATCH") and given is not None:
        raise _lustre_refused(managed, f"PerUnitStorageThroughput cannot be specified for {kind[0]}")


@rule(_LUSTRE)
def capacity_is_a_step(managed: ManagedResource) -> None:
    """SCRATCH_2 and PERSISTENT_2 SSD have sizes of 1,200, 2,400 and multiples of 2,400 GiB, with EFA in larger
    steps.
    """
    if _deployment(managed) not in ("SCRATCH_2", "PERSISTENT_2") or _storage(managed) != "SSD":
        return
    if managed.inputs.get("backupId") is not None and managed.inputs.get("storageCapacity") is None:
        return
    capacity = int(managed.inputs.get("storageCapacity") or 0)
    if managed.inputs.get("efaEnabled") is True:
        step = _EFA_STEPS[int(managed.inputs["perUnitStorageThroughput"])]
        valid, words = capacity > 0 and capacity % step == 0, f"multiples of {step} with EFA"
    else:
        valid, words = capacity == 1200 or (capacity > 0 and capacity % _STEP == 0), "1200, 2400 and multiples of 2400"
    if not valid:
        raise _lustre_refused(
            managed, f"StorageCapacity {capacity} GiB is not valid for {_deployment(managed)}; valid: {words}"
        )


@rule(_LUSTRE)
def efa_needs_metadata_configuration(managed: ManagedResource) -> None:
    """EFA requires PERSISTENT_2 with a metadata configuration and a security group (pulumi-aws, `efaEnabled`)."""
    if managed.inputs.get("efaEnabled") is not True:
        return
    if _deployment(managed) != "PERSISTENT_2" or not managed.inputs.get("metadataConfiguration"):
        raise _lustre_refused(managed, "EfaEnabled requires deployment type PERSISTENT_2 and a metadata configuration")
    groups = items(managed.inputs.get("securityGroupIds"))
    if not managed.previous and not any(_open_to_itself(managed, group) for group in groups):
        raise _lustre_refused(managed, "Insufficient security group permissions to create an EFA-enabled file system")


@rule(_LUSTRE)
def throughput_of_efa_stays(managed: ManagedResource) -> None:
    """With EFA the throughput per TiB cannot be changed (pulumi-aws, `perUnitStorageThroughput` and `efaEnabled`)."""
    if managed.previous and managed.inputs.get("efaEnabled") is True and "perUnitStorageThroughput" in managed.changed:
        raise refused(
            managed,
            "FSx: UpdateFileSystem",
            400,
            "BadRequest",
            "PerUnitStorageThroughput cannot be updated for EFA-enabled file systems",
        )


@rule(_LUSTRE)
def metadata_iops_are_sold(managed: ManagedResource) -> None:
    """User-provisioned metadata IOPS have fixed steps (FSx API, CreateFileSystemLustreMetadataConfiguration)."""
    configuration = mapping(managed.inputs.get("metadataConfiguration"))
    iops = configuration.get("iops")
    if configuration.get("mode") != "USER_PROVISIONED" or iops is None or _storage(managed) != "SSD":
        return
    if int(iops) not in (1500, 3000, 6000) and not (int(iops) % 12000 == 0 and 0 < int(iops) <= 192000):
        words = "1500, 3000, 6000, 12000 and multiples of 12000 to 192000"
        raise _lustre_refused(managed, f"Metadata Iops {iops} is not valid; valid: {words}")


@rule(_LUSTRE)
def subnet_exists(managed: ManagedResource) -> None:
    """The file system is in one existing subnet."""
    subnet = managed.inputs.get("subnetIds")
    if managed.other("aws:ec2/subnet:Subnet", subnet) is None:
        raise refused(
            managed, "FSx: CreateFileSystem", 400, "InvalidNetworkSettings", f"The subnet {subnet} does not exist"
        )


def _open_to_itself(managed: ManagedResource, group: object) -> bool:
    """Whether a security group allows all traffic within it, in both directions."""

    def has_rule(direction: str) -> bool:
        token = f"aws:vpc/securityGroup{direction}Rule:SecurityGroup{direction}Rule"
        return any(
            (entry.inputs.get("securityGroupId"), entry.inputs.get("referencedSecurityGroupId")) == (group, group)
            and str(entry.inputs.get("ipProtocol")) == "-1"
            for entry in managed.others(token, group)
        )

    def is_inline(direction: str) -> bool:
        found = managed.other("aws:ec2/securityGroup:SecurityGroup", group)
        rules = items(found.inputs.get(direction)) if found is not None else []
        return any(mapping(item).get("self") is True and str(mapping(item).get("protocol")) == "-1" for item in rules)

    return all(has_rule(token) or is_inline(token.lower()) for token in ("Ingress", "Egress"))


def _deployment(managed: ManagedResource) -> str:
    return str(managed.inputs.get("deploymentType") or "SCRATCH_1")


def _storage(managed: ManagedResource) -> str:
    return str(managed.inputs.get("storageType") or "SSD")


def _lustre_refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "FSx: CreateFileSystem", 400, "BadRequest", message)


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
def mounted_file_system_exists(managed: ManagedResource) -> None:
    """The file system exists."""
    id_ = managed.inputs["fileSystemId"]
    if managed.other("aws:efs/fileSystem:FileSystem", id_) is None:
        message = f"File system '{id_}' does not exist."
        raise refused(managed, "EFS: CreateMountTarget", 404, "FileSystemNotFound", message)

"""FSx for Lustre, EFS, S3 and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN, arn, hex_id
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex

__all__: list[str] = []


@models(
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    id="fs",
    defaults={"deploymentType": "SCRATCH_1", "storageType": "SSD", "weeklyMaintenanceStartTime": "1:00:00"},
)
def lustre_file_system(thing: Thing) -> Mapping[str, Any]:
    """Mount names of file systems other than SCRATCH_1 are eight random characters (FSx API, MountName)."""
    subnet = thing.other("aws:ec2/subnet:Subnet", thing.inputs.get("subnetIds"))
    scratch_1 = (thing.inputs.get("deploymentType") or "SCRATCH_1") == "SCRATCH_1"
    computed: dict[str, Any] = {
        "arn": thing.arn("fsx", f"file-system/{thing.id}"),
        "dnsName": f"{thing.id}.fsx.{thing.region}.{DOMAIN}",
        "fileSystemTypeVersion": thing.inputs.get("fileSystemTypeVersion") or "2.10",
        "kmsKeyId": thing.inputs.get("kmsKeyId")
        or thing.keep("kmsKeyId", lambda: thing.arn("kms", f"key/{random_hex(8)}-{random_hex(12)}")),
        "logConfiguration": thing.inputs.get("logConfiguration") or {"level": "DISABLED", "destination": ""},
        "mountName": thing.keep("mountName", lambda: "fsx" if scratch_1 else random_hex(8)),
        "networkInterfaceIds": thing.keep("networkInterfaceIds", lambda: [hex_id("eni"), hex_id("eni")]),
        "ownerId": ACCOUNT,
        "vpcId": subnet.outputs["vpcId"] if subnet else "",
    }
    return computed


@models("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", id="dra")
def data_repository_association(thing: Thing) -> Mapping[str, Any]:
    """The chunk size is 1 GiB where none is asked (FSx API, ImportedFileChunkSize)."""
    return {
        "arn": thing.arn("fsx", f"association/{thing.inputs['fileSystemId']}/{thing.id}"),
        "associationId": thing.id,
        "importedFileChunkSize": thing.inputs.get("importedFileChunkSize") or 1024,
    }


@models(
    "aws:efs/fileSystem:FileSystem",
    id="fs",
    defaults={"performanceMode": "generalPurpose", "throughputMode": "bursting", "encrypted": False},
)
def efs_file_system(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": thing.arn("elasticfilesystem", f"file-system/{thing.id}"),
        "dnsName": f"{thing.id}.efs.{thing.region}.{DOMAIN}",
        "name": thing.tags.get("Name", ""),
        "numberOfMountTargets": 0,
        "ownerId": ACCOUNT,
    }


@models("aws:efs/mountTarget:MountTarget", id="fsmt")
def mount_target(thing: Thing) -> Mapping[str, Any]:
    file_system = thing.inputs["fileSystemId"]
    subnet = thing.other("aws:ec2/subnet:Subnet", thing.inputs.get("subnetId"))
    zone = subnet.outputs["availabilityZone"] if subnet else ""
    return {
        "availabilityZoneId": subnet.outputs["availabilityZoneId"] if subnet else "",
        "availabilityZoneName": zone,
        "dnsName": f"{file_system}.efs.{thing.region}.{DOMAIN}",
        "fileSystemArn": thing.arn("elasticfilesystem", f"file-system/{file_system}"),
        "mountTargetDnsName": f"{zone}.{file_system}.efs.{thing.region}.{DOMAIN}",
        "networkInterfaceId": thing.keep("networkInterfaceId", lambda: hex_id("eni")),
        "ownerId": ACCOUNT,
    }


@models("aws:s3/bucket:Bucket", id=lambda thing: thing.name, defaults={"requestPayer": "BucketOwner"})
def bucket(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": f"arn:aws:s3:::{thing.name}",
        "bucketDomainName": f"{thing.name}.s3.{DOMAIN}",
        "bucketRegion": thing.region,
        "bucketRegionalDomainName": f"{thing.name}.s3.{thing.region}.{DOMAIN}",
        "hostedZoneId": "Z0000000000000",
        "versioning": thing.inputs.get("versioning") or {"enabled": False, "mfaDelete": False},
    }


@models("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", id=lambda thing: str(thing.inputs["bucket"]))
def public_access_block(_: Thing) -> Mapping[str, Any]:
    """It has its bucket's name (pulumi-aws, import of bucketPublicAccessBlock)."""
    return {}


def _key_id(_: Thing) -> str:
    return "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))


@models(
    "aws:kms/key:Key",
    id=_key_id,
    defaults={"customerMasterKeySpec": "SYMMETRIC_DEFAULT", "keyUsage": "ENCRYPT_DECRYPT", "isEnabled": True},
)
def key(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("kms", f"key/{thing.id}"), "keyId": thing.id}


@models("aws:kms/alias:Alias", id=lambda thing: thing.name, changing=("targetKeyArn",))
def alias(thing: Thing) -> Mapping[str, Any]:
    target = thing.inputs["targetKeyId"]
    key_arn = target if str(target).startswith("arn:") else arn("kms", thing.region, f"key/{target}")
    return {"arn": thing.arn("kms", thing.name), "targetKeyArn": key_arn}

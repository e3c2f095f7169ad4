"""FSx for Lustre, EFS, S3 and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, DOMAIN, arn, hex_id
from gpucluster.sandbox.clouds.model import random_hex


@models(
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    id="fs",
    defaults={"deploymentType": "SCRATCH_1", "storageType": "SSD", "weeklyMaintenanceStartTime": "1:00:00"},
)
def lustre_file_system(managed: ManagedResource) -> Mapping[str, Any]:
    """Mount names of file systems other than SCRATCH_1 are eight random characters (FSx API, MountName)."""
    subnet = managed.other("aws:ec2/subnet:Subnet", managed.inputs.get("subnetIds"))
    scratch_1 = (managed.inputs.get("deploymentType") or "SCRATCH_1") == "SCRATCH_1"
    computed: dict[str, Any] = {
        "arn": managed.arn("fsx", f"file-system/{managed.id}"),
        "dnsName": f"{managed.id}.fsx.{managed.region}.{DOMAIN}",
        "fileSystemTypeVersion": managed.inputs.get("fileSystemTypeVersion") or "2.10",
        "kmsKeyId": managed.inputs.get("kmsKeyId")
        or managed.keep("kmsKeyId", lambda: managed.arn("kms", f"key/{random_hex(8)}-{random_hex(12)}")),
        "logConfiguration": managed.inputs.get("logConfiguration") or {"level": "DISABLED", "destination": ""},
        "mountName": managed.keep("mountName", lambda: "fsx" if scratch_1 else random_hex(8)),
        "networkInterfaceIds": managed.keep("networkInterfaceIds", lambda: [hex_id("eni"), hex_id("eni")]),
        "ownerId": ACCOUNT,
        "vpcId": subnet.outputs["vpcId"] if subnet else "",
    }
    return computed


@models("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", id="dra")
def data_repository_association(managed: ManagedResource) -> Mapping[str, Any]:
    """The chunk size is 1 GiB by default (FSx API, ImportedFileChunkSize)."""
    return {
        "arn": managed.arn("fsx", f"association/{managed.inputs['fileSystemId']}/{managed.id}"),
        "associationId": managed.id,
        "importedFileChunkSize": managed.inputs.get("importedFileChunkSize") or 1024,
    }


@models(
    "aws:efs/fileSystem:FileSystem",
    id="fs",
    defaults={"performanceMode": "generalPurpose", "throughputMode": "bursting", "encrypted": False},
)
def efs_file_system(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": managed.arn("elasticfilesystem", f"file-system/{managed.id}"),
        "dnsName": f"{managed.id}.efs.{managed.region}.{DOMAIN}",
        "name": managed.tags.get("Name", ""),
        "numberOfMountTargets": 0,
        "ownerId": ACCOUNT,
    }


@models("aws:efs/mountTarget:MountTarget", id="fsmt")
def mount_target(managed: ManagedResource) -> Mapping[str, Any]:
    file_system = managed.inputs["fileSystemId"]
    subnet = managed.other("aws:ec2/subnet:Subnet", managed.inputs.get("subnetId"))
    zone = subnet.outputs["availabilityZone"] if subnet else ""
    return {
        "availabilityZoneId": subnet.outputs["availabilityZoneId"] if subnet else "",
        "availabilityZoneName": zone,
        "dnsName": f"{file_system}.efs.{managed.region}.{DOMAIN}",
        "fileSystemArn": managed.arn("elasticfilesystem", f"file-system/{file_system}"),
        "mountTargetDnsName": f"{zone}.{file_system}.efs.{managed.region}.{DOMAIN}",
        "networkInterfaceId": managed.keep("networkInterfaceId", lambda: hex_id("eni")),
        "ownerId": ACCOUNT,
    }


@models("aws:s3/bucket:Bucket", id=lambda managed: managed.name, defaults={"requestPayer": "BucketOwner"})
def bucket(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": f"arn:aws:s3:::{managed.name}",
        "bucketDomainName": f"{managed.name}.s3.{DOMAIN}",
        "bucketRegion": managed.region,
        "bucketRegionalDomainName": f"{managed.name}.s3.{managed.region}.{DOMAIN}",
        "hostedZoneId": "Z0000000000000",
        "versioning": managed.inputs.get("versioning") or {"enabled": False, "mfaDelete": False},
    }


@models("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", id=lambda managed: str(managed.inputs["bucket"]))
def public_access_block(_: ManagedResource) -> Mapping[str, Any]:
    """Its id is its bucket's name (pulumi-aws, import of bucketPublicAccessBlock)."""
    return {}


def _key_id(_: ManagedResource) -> str:
    return "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))


@models(
    "aws:kms/key:Key",
    id=_key_id,
    defaults={"customerMasterKeySpec": "SYMMETRIC_DEFAULT", "keyUsage": "ENCRYPT_DECRYPT", "isEnabled": True},
)
def key(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("kms", f"key/{managed.id}"), "keyId": managed.id}


@models("aws:kms/alias:Alias", id=lambda managed: managed.name, changing=("targetKeyArn",))
def alias(managed: ManagedResource) -> Mapping[str, Any]:
    target = managed.inputs["targetKeyId"]
    key_arn = target if str(target).startswith("arn:") else arn("kms", managed.region, f"key/{target}")
    return {"arn": managed.arn("kms", managed.name), "targetKeyArn": key_arn}


@models("aws:ecr/repository:Repository", id=lambda managed: managed.name, defaults={"imageTagMutability": "MUTABLE"})
def repository(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": managed.arn("ecr", f"repository/{managed.name}"),
        "registryId": ACCOUNT,
        "repositoryUrl": f"{ACCOUNT}.dkr.ecr.{managed.region}.{DOMAIN}/{managed.name}",
    }


@models("aws:ecr/lifecyclePolicy:LifecyclePolicy", id=lambda managed: managed.inputs["repository"])
def lifecycle_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models("aws:ecr/pullThroughCacheRule:PullThroughCacheRule", id=lambda managed: managed.inputs["ecrRepositoryPrefix"])
def pull_through_cache_rule(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}


@models(
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
    id=lambda managed: managed.inputs["prefix"],
    defaults={"imageTagMutability": "MUTABLE"},
)
def repository_creation_template(_: ManagedResource) -> Mapping[str, Any]:
    return {"registryId": ACCOUNT}

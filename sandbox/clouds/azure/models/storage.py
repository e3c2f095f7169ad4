"""Managed Lustre, Blob storage and file shares."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.model import DOMAIN, ManagedResource, etag, identity_of, made, models

_SUBNET: Final = "azure-native:network:Subnet"
_RESERVED: Final = 4
"""Addresses that Azure reserves at the beginning of every subnet (virtual network FAQ: the first four and the last)."""


@models("azure-native:storagecache:AmlFilesystem")
def aml_filesystem(managed: ManagedResource) -> Mapping[str, Any]:
    """Clients mount by the address of the management service, one of the subnet's.

    Source: Azure/azure-rest-api-specs storagecache stable/2024-03-01 amlfilesystem.json and its examples.
    """
    address = str(mapping(managed.previous.get("clientInfo")).get("mgsAddress") or _address(managed))
    sku = str(mapping(managed.inputs.get("sku")).get("name") or "")
    per_tib = sku.rsplit("-", 1)[-1]
    capacity = managed.inputs["storageCapacityTiB"]
    return {
        **made(managed),
        "clientInfo": {
            "mgsAddress": address,
            "mountCommand": f"mount -t lustre {address}@tcp:/lustrefs /lustre-mount",
            "lustreVersion": "2.15.0",
            "containerStorageInterface": {"persistentVolume": "", "persistentVolumeClaim": "", "storageClass": ""},
        },
        "health": {"state": "Available", "statusCode": "", "statusDescription": "AML file system is available"},
        "identity": identity_of(managed),
        "throughputProvisionedMBps": int(capacity * int(per_tib)) if per_tib.isdigit() else 0,
    }


@models("azure-native:storagecache:AutoExportJob")
def auto_export_job(managed: ManagedResource) -> Mapping[str, Any]:
    """Source: Azure/azure-rest-api-specs storagecache stable/2024-07-01 amlfilesystem.json, AutoExportJob."""
    return {**made(managed), "state": "InProgress"}


def _address(managed: ManagedResource) -> str:
    found = managed.at(_SUBNET, managed.inputs["filesystemSubnet"])
    block = str(found.inputs.get("addressPrefix") or "") if found is not None else ""
    return str(ip_network(block, strict=False)[_RESERVED + 1]) if block else "10.0.0.5"


@models("azure-native:storage:StorageAccount")
def storage_account(managed: ManagedResource) -> Mapping[str, Any]:
    services = ("blob", "dfs", "file", "queue", "table")
    endpoints = {service: f"https://{managed.name}.{service}.core.{DOMAIN}/" for service in services}
    return {
        **made(managed),
        "identity": identity_of(managed),
        "primaryEndpoints": endpoints,
        "primaryLocation": managed.location,
        "statusOfPrimary": "available",
    }


@models("azure-native:storage:BlobContainer")
def blob_container(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "etag": etag(), "publicAccess": managed.inputs.get("publicAccess") or "None"}


@models("azure-native:storage:FileShare")
def file_share(managed: ManagedResource) -> Mapping[str, Any]:
    """SMB by default (storage API, FileShareProperties)."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "enabledProtocols": managed.inputs.get("enabledProtocols") or "SMB",
        "etag": etag(),
        "lastModifiedTime": now,
        "leaseState": "available",
        "leaseStatus": "unlocked",
    }

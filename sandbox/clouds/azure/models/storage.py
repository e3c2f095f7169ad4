"""Managed Lustre, Blob storage and file shares."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.identities import of_resource
from gpucluster.sandbox.clouds.azure.identity import DOMAIN
from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import etag, made
from gpucluster.sandbox.type_guards import mapping

__all__: list[str] = []

_SUBNET: Final = "azure-native:network:Subnet"
_RESERVED: Final = 4
"""Addresses Azure keeps at the beginning of every subnet (virtual network FAQ: the first four and the last)."""


@models("azure-native:storagecache:AmlFilesystem")
def aml_filesystem(thing: Thing) -> Mapping[str, Any]:
    """Clients mount by the address of the management service, one of the subnet's.

    Source: Azure/azure-rest-api-specs storagecache stable/2024-03-01 amlfilesystem.json and its examples.
    """
    address = str(mapping(thing.previous.get("clientInfo")).get("mgsAddress") or _address(thing))
    sku = str(mapping(thing.inputs.get("sku")).get("name") or "")
    per_tib = sku.rsplit("-", 1)[-1]
    capacity = thing.inputs["storageCapacityTiB"]
    return {
        **made(thing),
        "clientInfo": {
            "mgsAddress": address,
            "mountCommand": f"mount -t lustre {address}@tcp:/lustrefs /lustre-mount",
            "lustreVersion": "2.15.0",
            "containerStorageInterface": {"persistentVolume": "", "persistentVolumeClaim": "", "storageClass": ""},
        },
        "health": {"state": "Available", "statusCode": "", "statusDescription": "AML file system is available"},
        "identity": of_resource(thing),
        "throughputProvisionedMBps": int(capacity * int(per_tib)) if per_tib.isdigit() else 0,
    }


@models("azure-native:storagecache:AutoExportJob")
def auto_export_job(thing: Thing) -> Mapping[str, Any]:
    """Source: Azure/azure-rest-api-specs storagecache stable/2024-07-01 amlfilesystem.json, AutoExportJob."""
    return {**made(thing), "state": "InProgress"}


def _address(thing: Thing) -> str:
    found = thing.at(_SUBNET, thing.inputs["filesystemSubnet"])
    block = str(found.inputs.get("addressPrefix") or "") if found is not None else ""
    return str(ip_network(block, strict=False)[_RESERVED + 1]) if block else "10.0.0.5"


@models("azure-native:storage:StorageAccount")
def storage_account(thing: Thing) -> Mapping[str, Any]:
    services = ("blob", "dfs", "file", "queue", "table")
    endpoints = {service: f"https://{thing.name}.{service}.core.{DOMAIN}/" for service in services}
    return {
        **made(thing),
        "identity": of_resource(thing),
        "primaryEndpoints": endpoints,
        "primaryLocation": thing.location,
        "statusOfPrimary": "available",
    }


@models("azure-native:storage:BlobContainer")
def blob_container(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), "etag": etag(), "publicAccess": thing.inputs.get("publicAccess") or "None"}


@models("azure-native:storage:FileShare")
def file_share(thing: Thing) -> Mapping[str, Any]:
    """SMB where nothing else is asked (storage API, FileShareProperties)."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(thing),
        "enabledProtocols": thing.inputs.get("enabledProtocols") or "SMB",
        "etag": etag(),
        "lastModifiedTime": now,
        "leaseState": "available",
        "leaseStatus": "unlocked",
    }

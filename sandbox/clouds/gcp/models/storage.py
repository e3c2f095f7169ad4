"""Managed Lustre, Filestore, buckets and image repositories."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.model import DOMAIN, ManagedResource, models, number_of
from gpucluster.sandbox.clouds.model import random_hex


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _address(managed: ManagedResource) -> str:
    """An address of 192.0.2.0/24, which no host uses."""
    return f"192.0.2.{int(hashlib.sha256(managed.id.encode()).hexdigest()[:8], 16) % 250 + 4}"


@models(
    "gcp:lustre/instance:Instance",
    id="projects/{project}/locations/{location}/instances/{instanceId}",
    changing=("updateTime",),
    defaults={"state": "ACTIVE"},
)
def lustre(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "createTime": managed.keep("createTime", _now),
        "mountPoint": f"{_address(managed)}@tcp:/{managed.inputs['filesystem']}",
        "name": managed.id,
        "project": managed.project,
        "uid": managed.keep("uid", lambda: "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))),
        "updateTime": _now(),
    }


@models(
    "gcp:filestore/instance:Instance",
    id="projects/{project}/locations/{location}/instances/{name}",
    changing=("etag",),
    nested={"networks": ("ipAddresses", "reservedIpRange")},
)
def filestore(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "createTime": managed.keep("createTime", _now),
        "etag": random_hex(16),
        "location": managed.location,
        "networks": [
            {"connectMode": "DIRECT_PEERING", "reservedIpRange": "192.0.2.0/29", **mapping(given)}
            | {"ipAddresses": [_address(managed)]}
            for given in items(managed.inputs.get("networks"))
        ],
        "project": managed.project,
        "zone": managed.location,
    }


@models("gcp:storage/bucket:Bucket", id="{name}", changing=("updated",))
def bucket(managed: ManagedResource) -> Mapping[str, Any]:
    """Locations are returned in capitals; deleted objects stay for seven days (Cloud Storage, "Soft delete")."""
    return {
        "location": str(managed.inputs["location"]).upper(),
        "project": managed.project,
        "projectNumber": int(number_of(managed.project)),
        "publicAccessPrevention": managed.inputs.get("publicAccessPrevention") or "inherited",
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{managed.id}",
        "softDeletePolicy": managed.inputs.get("softDeletePolicy") or {"retentionDurationSeconds": 604800},
        "timeCreated": managed.keep("timeCreated", _now),
        "updated": _now(),
        "url": f"gs://{managed.id}",
    }


@models("gcp:storage/bucketIAMMember:BucketIAMMember", id="b/{bucket}/{role}/{member}")
def bucket_member(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


def _cache_id(managed: ManagedResource) -> str:
    return f"{managed.inputs['bucket']}/{managed.inputs['zone']}"


@models("gcp:storage/anywhereCache:AnywhereCache", id=_cache_id, defaults={"state": "running", "pendingUpdate": False})
def anywhere_cache(managed: ManagedResource) -> Mapping[str, Any]:
    now = _now()
    return {
        "anywhereCacheId": managed.inputs["zone"],
        "createTime": managed.keep("createTime", lambda: now),
        "updateTime": now,
    }


@models(
    "gcp:artifactregistry/repository:Repository",
    id="projects/{project}/locations/{location}/repositories/{repositoryId}",
    changing=("updateTime",),
)
def repository(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "createTime": managed.keep("createTime", _now),
        "location": managed.location,
        "name": managed.inputs["repositoryId"],
        "project": managed.project,
        "registryUri": f"{managed.location}-docker.{DOMAIN}/{managed.project}/{managed.inputs['repositoryId']}",
        "updateTime": _now(),
    }


@models(
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
    id="projects/{project}/locations/{location}/repositories/{repository}/{role}/{member}",
)
def repository_member(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}

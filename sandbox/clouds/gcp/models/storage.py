"""Managed Lustre, Filestore, buckets and image repositories."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.gcp.identity import DOMAIN, number_of
from gpucluster.sandbox.clouds.gcp.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _address(thing: Thing) -> str:
    """An address of 192.0.2.0/24, which no host has."""
    return f"192.0.2.{int(hashlib.sha256(thing.id.encode()).hexdigest()[:8], 16) % 250 + 4}"


@models(
    "gcp:lustre/instance:Instance",
    id="projects/{project}/locations/{location}/instances/{instanceId}",
    changing=("updateTime",),
    defaults={"state": "ACTIVE"},
)
def lustre(thing: Thing) -> Mapping[str, Any]:
    return {
        "createTime": thing.keep("createTime", _now),
        "mountPoint": f"{_address(thing)}@tcp:/{thing.inputs['filesystem']}",
        "name": thing.id,
        "project": thing.project,
        "uid": thing.keep("uid", lambda: "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))),
        "updateTime": _now(),
    }


@models(
    "gcp:filestore/instance:Instance",
    id="projects/{project}/locations/{location}/instances/{name}",
    changing=("etag",),
    nested={"networks": ("ipAddresses", "reservedIpRange")},
)
def filestore(thing: Thing) -> Mapping[str, Any]:
    return {
        "createTime": thing.keep("createTime", _now),
        "etag": random_hex(16),
        "location": thing.location,
        "networks": [
            {"connectMode": "DIRECT_PEERING", "reservedIpRange": "192.0.2.0/29", **mapping(given)}
            | {"ipAddresses": [_address(thing)]}
            for given in items(thing.inputs.get("networks"))
        ],
        "project": thing.project,
        "zone": thing.location,
    }


@models("gcp:storage/bucket:Bucket", id="{name}", changing=("updated",))
def bucket(thing: Thing) -> Mapping[str, Any]:
    """Locations are answered in capitals; deleted objects stay for seven days (Cloud Storage, "Soft delete")."""
    return {
        "location": str(thing.inputs["location"]).upper(),
        "project": thing.project,
        "projectNumber": int(number_of(thing.project)),
        "publicAccessPrevention": thing.inputs.get("publicAccessPrevention") or "inherited",
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{thing.id}",
        "softDeletePolicy": thing.inputs.get("softDeletePolicy") or {"retentionDurationSeconds": 604800},
        "timeCreated": thing.keep("timeCreated", _now),
        "updated": _now(),
        "url": f"gs://{thing.id}",
    }


@models("gcp:storage/bucketIAMMember:BucketIAMMember", id="b/{bucket}/{role}/{member}")
def bucket_member(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


def _cache_id(thing: Thing) -> str:
    return f"{thing.inputs['bucket']}/{thing.inputs['zone']}"


@models("gcp:storage/anywhereCache:AnywhereCache", id=_cache_id, defaults={"state": "running", "pendingUpdate": False})
def anywhere_cache(thing: Thing) -> Mapping[str, Any]:
    now = _now()
    return {
        "anywhereCacheId": thing.inputs["zone"],
        "createTime": thing.keep("createTime", lambda: now),
        "updateTime": now,
    }


@models(
    "gcp:artifactregistry/repository:Repository",
    id="projects/{project}/locations/{location}/repositories/{repositoryId}",
    changing=("updateTime",),
)
def repository(thing: Thing) -> Mapping[str, Any]:
    return {
        "createTime": thing.keep("createTime", _now),
        "location": thing.location,
        "name": thing.inputs["repositoryId"],
        "project": thing.project,
        "registryUri": f"{thing.location}-docker.{DOMAIN}/{thing.project}/{thing.inputs['repositoryId']}",
        "updateTime": _now(),
    }


@models(
    "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember",
    id="projects/{project}/locations/{location}/repositories/{repository}/{role}/{member}",
)
def repository_member(_: Thing) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}

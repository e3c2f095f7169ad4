"""Service accounts, roles, grants and enabled services.

Sources: hashicorp/terraform-provider-google-beta@93c65b2d kms/resource_kms_key_ring.go, resource_kms_crypto_key.go and
iam_kms_crypto_key.go for ids; Cloud KMS API, CryptoKey and CryptoKeyVersionTemplate for the defaults of a new key.

Sources: hashicorp/terraform-provider-google-beta@93c65b2d logging/resource_logging_project_bucket_config.go and
resource_logging_project_sink.go for ids; Cloud Logging API v2, LogBucket and LogSink, for the defaults of new ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.model import ManagedResource, models, number_of
from gpucluster.sandbox.clouds.model import random_hex
from gpucluster.sandbox.clouds.types.values import Secret

_AGENTS: Final = {"container.googleapis.com": "container-engine-robot"}
"""API -> the project of its service agents, if it is not `gcp-sa-` and the name of the API (IAM documentation, "Service
agents")."""


def _email(managed: ManagedResource) -> str:
    return f"{managed.name}@{managed.project}.iam.gserviceaccount.com"


@models(
    "gcp:serviceaccount/account:Account",
    id=lambda managed: f"projects/{managed.project}/serviceAccounts/{_email(managed)}",
)
def account(managed: ManagedResource) -> Mapping[str, Any]:
    """Its unique id has 21 digits (IAM API, ServiceAccount.uniqueId)."""
    number = int(hashlib.sha256(managed.id.encode()).hexdigest(), 16)
    return {
        "email": _email(managed),
        "member": f"serviceAccount:{_email(managed)}",
        "name": managed.id,
        "project": managed.project,
        "uniqueId": managed.keep("uniqueId", lambda: f"1{number % 10**20:020d}"),
    }


@models("gcp:serviceaccount/key:Key", id=lambda managed: f"{_account_path(managed)}/keys/{random_hex(40)}")
def key(managed: ManagedResource) -> Mapping[str, Any]:
    """A private key that is useless."""
    return {
        "name": managed.id,
        "privateKey": managed.keep("privateKey", lambda: Secret("the key of a sandbox opens nothing")),
        "publicKey": managed.keep("publicKey", lambda: random_hex(32)),
        "validAfter": "2026-01-01T00:00:00Z",
        "validBefore": "9999-12-31T23:59:59Z",
    }


def _account_path(managed: ManagedResource) -> str:
    given = str(managed.inputs["serviceAccountId"])
    return given if given.startswith("projects/") else f"projects/{managed.project}/serviceAccounts/{given}"


@models("gcp:serviceaccount/iAMMember:IAMMember", id="{serviceAccountId}/{role}/{member}")
def account_member(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:serviceaccount/iAMBinding:IAMBinding", id="{serviceAccountId}/{role}")
def account_binding(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMMember:IAMMember", id="{project}/{role}/{member}")
def project_member(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMBinding:IAMBinding", id="{project}/{role}")
def project_binding(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


@models("gcp:projects/iAMCustomRole:IAMCustomRole", id="projects/{project}/roles/{name}")
def custom_role(managed: ManagedResource) -> Mapping[str, Any]:
    return {"deleted": False, "name": managed.id, "project": managed.project}


@models("gcp:projects/service:Service", id="{project}/{service}")
def service(managed: ManagedResource) -> Mapping[str, Any]:
    return {"project": managed.project}


@models("gcp:projects/serviceIdentity:ServiceIdentity", id="projects/{project}/services/{service}")
def service_identity(managed: ManagedResource) -> Mapping[str, Any]:
    """The account of Google's service in this project."""
    api = str(managed.inputs["service"])
    agents = _AGENTS.get(api) or f"gcp-sa-{api.removesuffix('.googleapis.com')}"
    email = f"service-{number_of(managed.project)}@{agents}.iam.gserviceaccount.com"
    return {"email": email, "member": f"serviceAccount:{email}", "project": managed.project}


@models("gcp:kms/keyRing:KeyRing", id="projects/{project}/locations/{location}/keyRings/{name}")
def key_ring(managed: ManagedResource) -> Mapping[str, Any]:
    return {"location": managed.location, "project": managed.project}


@models("gcp:kms/cryptoKey:CryptoKey", id="{keyRing}/cryptoKeys/{name}", defaults={"importOnly": False})
def crypto_key(managed: ManagedResource) -> Mapping[str, Any]:
    """A symmetric encryption key immediately has its first version, which is the primary one."""
    template = {"algorithm": "GOOGLE_SYMMETRIC_ENCRYPTION", "protectionLevel": "SOFTWARE"}
    is_symmetric = (managed.inputs.get("purpose") or "ENCRYPT_DECRYPT") == "ENCRYPT_DECRYPT"
    has_version = is_symmetric and not managed.inputs.get("skipInitialVersionCreation")
    first = {"name": f"{managed.id}/cryptoKeyVersions/1", "state": "ENABLED"}
    return {
        "destroyScheduledDuration": managed.inputs.get("destroyScheduledDuration") or "2592000s",
        "primaries": [first] if has_version else [],
        "versionTemplate": managed.inputs.get("versionTemplate") or template,
    }


@models("gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember", id="{cryptoKeyId}/{role}/{member}")
def crypto_key_member(_: ManagedResource) -> Mapping[str, Any]:
    return {"etag": random_hex(8)}


_SHARED_WRITER: Final = "serviceAccount:cloud-logs@system.gserviceaccount.com"


@models(
    "gcp:logging/projectBucketConfig:ProjectBucketConfig",
    id="projects/{project}/locations/{location}/buckets/{bucketId}",
    defaults={"retentionDays": 30},
)
def project_bucket_config(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "description": managed.inputs.get("description") or "",
        "lifecycleState": "ACTIVE",
        "name": managed.id,
        "project": managed.project,
    }


@models("gcp:logging/projectSink:ProjectSink", id="projects/{project}/sinks/{name}")
def project_sink(managed: ManagedResource) -> Mapping[str, Any]:
    """A sink within its project has no separate identity."""
    inside = str(managed.inputs.get("destination", "")).startswith(
        f"logging.googleapis.com/projects/{managed.project}/"
    )
    own = f"serviceAccount:service-{managed.project}@gcp-sa-logging.iam.gserviceaccount.com"
    unique = managed.inputs.get("uniqueWriterIdentity") is not False
    return {"project": managed.project, "writerIdentity": "" if inside else own if unique else _SHARED_WRITER}

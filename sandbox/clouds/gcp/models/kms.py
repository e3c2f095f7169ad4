"""Key rings, keys and grants on them.

Sources: hashicorp/terraform-provider-google-beta@93c65b2d kms/resource_kms_key_ring.go, resource_kms_crypto_key.go and
iam_kms_crypto_key.go for ids; Cloud KMS API, CryptoKey and CryptoKeyVersionTemplate for the defaults of a new key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.gcp.model import ManagedResource, models
from gpucluster.sandbox.clouds.naming import random_hex


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

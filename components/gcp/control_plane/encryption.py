"""The KMS key for application-layer encryption of Kubernetes secrets, in addition to Google's encryption."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import kms, projects

_DAY = 24 * 60 * 60


def secrets_key(
    name: str,
    existing: str | None,
    *,
    project: str,
    region: str,
    after: Sequence[pulumi.Resource],
    known: pulumi.ResourceHookBinding | None,
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Input[str], kms.CryptoKeyIAMMember]:
    """The id of a key that is rotated every 90 days, and the permission of GKE's own service account to use only this
    key. existing: id of a key to use instead, whose permission stays after a destroy: GKE has one service account in a
    project, so another cluster may use the same permission. known: hook that runs after the permission is created.

    Key rings can't be deleted in Google Cloud, and are free; a destroyed key waits for 30 days, during which it can be
    restored. Source: Google Cloud documentation, "Encrypt secrets at the application layer".
    """
    begun = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    key = existing or _key(name, region, begun, opts).id
    gke = projects.ServiceIdentity(f"{name}-gke", project=project, service="container.googleapis.com", opts=begun)
    use = kms.CryptoKeyIAMMember(
        f"{name}-use",
        crypto_key_id=key,
        role="roles/cloudkms.cryptoKeyEncrypterDecrypter",
        member=gke.member,
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(hooks=known, retain_on_delete=existing is not None)
        ),
    )
    return key, use


def _key(name: str, region: str, begun: pulumi.ResourceOptions, opts: pulumi.ResourceOptions) -> kms.CryptoKey:
    ring = kms.KeyRing(f"{name}-ring", location=region, opts=begun)
    return kms.CryptoKey(
        name,
        key_ring=ring.id,
        purpose="ENCRYPT_DECRYPT",
        rotation_period=f"{90 * _DAY}s",
        destroy_scheduled_duration=f"{30 * _DAY}s",
        opts=opts,
    )

"""Keys and the permissions to use them, and the APIs of a project, which take their time after they are enabled.

Sources: GKE documentation, "Encrypt secrets at the application layer" (GKE's service agent needs the role Cloud KMS
CryptoKey Encrypter/Decrypter on the key); Cloud KMS API, CryptoKey.rotationPeriod; hashicorp/
terraform-provider-google-beta@93c65b2d kms/kms_utils.go for the forms of an id.

Sources: hashicorp/terraform-provider-google issues 2673 (the error, for a key ring in the same apply) and 2129;
hashicorp/terraform-provider-google-beta@93c65b2d transport/error_retry_predicates.go (the provider does not retry it).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.machines import CLUSTER
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, number_of, refused, rule
from gpucluster.sandbox.clouds.store.ledger import Entry

_RING: Final = "gcp:kms/keyRing:KeyRing"
_KEY: Final = "gcp:kms/cryptoKey:CryptoKey"
_GRANT: Final = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
_USE: Final = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
_DAY: Final = 24 * 60 * 60


@rule(_KEY)
def ring_exists(managed: ManagedResource) -> None:
    """The ring of a key exists."""
    path = _path(managed, managed.inputs["keyRing"], ("keyRings",))
    if managed.project == path.split("/")[1] and managed.at(_RING, path) is None:
        raise refused(managed, f"KeyRing {path} not found.", status=404, reason="notFound")


@rule(_KEY)
def rotation_takes_a_day(managed: ManagedResource) -> None:
    """A rotation period is a day or longer."""
    period = str(managed.inputs.get("rotationPeriod") or "")
    if period and float(period.removesuffix("s")) < _DAY:
        raise refused(managed, "Rotation period must be greater than one day")


@rule(_GRANT)
def key_of_a_grant_exists(managed: ManagedResource) -> None:
    """The key exists; keys of other projects are not checked."""
    path = _path(managed, managed.inputs["cryptoKeyId"], ("keyRings", "cryptoKeys"))
    if managed.project == path.split("/")[1] and managed.at(_KEY, path) is None:
        raise refused(managed, f"CryptoKey {path} not found.", status=404, reason="notFound")


@rule(CLUSTER)
def gke_may_use_its_key(managed: ManagedResource) -> None:
    """The key of the secrets exists in the cluster's region, and GKE's service agent may use it."""
    encryption = mapping(managed.inputs.get("databaseEncryption"))
    name = str(encryption.get("keyName") or "")
    if encryption.get("state") == "DECRYPTED" or not name:
        return
    if not re.fullmatch(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+", name):
        raise refused(managed, f"Invalid key name {name} in database_encryption")
    key = managed.at(_KEY, name)
    if name.split("/")[1] != managed.project:
        return
    agent = f"serviceAccount:service-{number_of(managed.project)}@container-engine-robot.iam.gserviceaccount.com"
    if key is None or not any(_grants(entry, key, agent) for entry in managed.ledger.mentioning({_GRANT}, key.id)):
        raise _unusable(managed, name, agent)


def key_is_usable(managed: ManagedResource, ineffective: Sequence[Entry]) -> None:
    """No new grant on a cluster's key is still to take effect."""
    name = str(mapping(managed.inputs.get("databaseEncryption")).get("keyName") or "")
    for entry in ineffective if managed.token == CLUSTER else ():
        if entry.type == _GRANT and entry.inputs.get("cryptoKeyId") == name:
            raise _unusable(managed, name, str(entry.inputs.get("member")))


def _unusable(managed: ManagedResource, name: str, agent: str) -> CloudError:
    message = f"Cloud KMS key {name} doesn't exist or {agent} has no permission to encrypt and decrypt with it"
    return refused(managed, message, status=403, reason="forbidden")


def _grants(entry: Entry, key: Entry, agent: str) -> bool:
    return (entry.inputs.get("cryptoKeyId"), entry.inputs.get("role"), entry.inputs.get("member")) == (
        key.id,
        _USE,
        agent,
    )


def _path(managed: ManagedResource, given: Any, kinds: tuple[str, ...]) -> str:
    """The full path of a ring or key; the provider also accepts only the names."""
    text = str(given)
    if text.startswith("projects/"):
        return text
    *place, location = text.split("/")[: -len(kinds)]
    names = text.split("/")[-len(kinds) :]
    below = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return f"projects/{place[0] if place else managed.project}/locations/{location}/{below}"


_SERVICE: Final = "gcp:projects/service:Service"
# Module of the SDK -> API, if the names differ. Grants and custom roles of projects are of other APIs, which no program
# here enables.
_API: Final = {"filestore": "file", "kms": "cloudkms", "serviceaccount": "iam"}


def api_is_enabled(managed: ManagedResource, ineffective: Sequence[Entry]) -> None:
    """The API of a resource is none of those that are still being enabled."""
    module = managed.token.split(":")[1].split("/")[0]
    service = f"{_API.get(module, module)}.googleapis.com"
    if any(entry.type == _SERVICE and entry.inputs.get("service") == service for entry in ineffective):
        number = number_of(managed.project)
        message = (
            f"{service} has not been used in project {number} before or it is disabled. Enable it by visiting "
            f"https://console.developers.google.com/apis/api/{service}/overview?project={number} then retry. If you "
            "enabled this API recently, wait a few minutes for the action to propagate to our systems and retry."
        )
        raise refused(managed, message, status=403, reason="accessNotConfigured")

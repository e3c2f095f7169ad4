"""Keys, and who may use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.identity import number_of
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

RING, KEY = "kms/keyRing:KeyRing", "kms/cryptoKey:CryptoKey"
GRANT = "kms/cryptoKeyIAMMember:CryptoKeyIAMMember"
USE = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
AGENT = f"serviceAccount:service-{number_of('p')}@container-engine-robot.iam.gserviceaccount.com"


@pytest.fixture
def key(create: Create) -> str:
    ring = create(RING, location="us-central1", name="ring")
    return create(KEY, keyRing=ring.id, name="key").id


@pytest.fixture
def cluster(create: Create) -> Callable[[dict[str, Any]], Entry]:
    def make(encryption: dict[str, Any], **inputs: Any) -> Entry:
        return create(
            "container/cluster:Cluster",
            name="c",
            location="us-central1",
            network="default",
            initialNodeCount=1,
            databaseEncryption=encryption,
            **inputs,
        )

    return make


@pytest.mark.usefixtures("key")
def test_a_key_needs_its_ring_by_whichever_of_its_names(create: Create) -> None:
    for at, ring in enumerate(
        ("projects/p/locations/us-central1/keyRings/ring", "p/us-central1/ring", "us-central1/ring")
    ):
        assert create(KEY, keyRing=ring, name=f"key{at}").name
    with pytest.raises(CloudError, match="KeyRing projects/p/locations/us-central1/keyRings/gone not found"):
        create(KEY, keyRing="us-central1/gone", name="key")


def test_a_key_rotates_once_a_day_at_most(create: Create, key: str) -> None:
    ring = key.rsplit("/cryptoKeys/", 1)[0]
    assert create(KEY, keyRing=ring, name="daily", rotationPeriod="86400s").name
    with pytest.raises(CloudError, match="Rotation period must be greater than one day"):
        create(KEY, keyRing=ring, name="hourly", rotationPeriod="3600s")


def test_a_grant_needs_its_key(create: Create, key: str) -> None:
    assert create(GRANT, cryptoKeyId=key, role=USE, member=AGENT).id
    with pytest.raises(CloudError, match=r"CryptoKey .*/gone not found"):
        create(GRANT, cryptoKeyId=f"{key.rsplit('/', 1)[0]}/gone", role=USE, member=AGENT)


def test_secrets_are_encrypted_once_gke_may_use_the_key(
    create: Create, key: str, cluster: Callable[[dict[str, Any]], Entry]
) -> None:
    encryption = {"state": "ENCRYPTED", "keyName": key}
    with pytest.raises(CloudError, match="has no permission to encrypt and decrypt with it, forbidden"):
        cluster(encryption)
    create(GRANT, cryptoKeyId=key, role=USE, member="user:a@example.com")
    with pytest.raises(CloudError, match="has no permission"):
        cluster(encryption)
    create(GRANT, cryptoKeyId=key, role=USE, member=AGENT)
    assert cluster(encryption).inputs["databaseEncryption"] == encryption


@pytest.mark.parametrize(
    ("encryption", "message"),
    [
        ({"state": "ENCRYPTED", "keyName": "Bogus-Value"}, "Invalid key name Bogus-Value"),
        ({"state": "ENCRYPTED", "keyName": "projects/p/locations/x/keyRings/r/cryptoKeys/k"}, "doesn't exist"),
    ],
)
def test_a_key_that_is_none_encrypts_nothing(
    cluster: Callable[[dict[str, Any]], Entry], encryption: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        cluster(encryption)


@pytest.mark.parametrize(
    "encryption",
    [{"state": "DECRYPTED"}, {"state": "ENCRYPTED", "keyName": "projects/q/locations/x/keyRings/r/cryptoKeys/k"}],
)
def test_what_is_not_encrypted_here_is_not_looked_at(
    cluster: Callable[[dict[str, Any]], Entry], encryption: dict[str, Any]
) -> None:
    assert cluster(encryption).id


def test_a_cluster_refers_to_zones_accounts_networks_and_subnetworks_that_are_there(
    create: Create, cluster: Callable[..., Entry]
) -> None:
    none = {"state": "DECRYPTED"}
    with pytest.raises(CloudError, match="Location us-east1-b is not a zone of us-central1"):
        cluster(none, nodeLocations=["us-central1-a", "us-east1-b"])
    with pytest.raises(CloudError, match=r'Service account "gone@p.iam.gserviceaccount.com" does not exist'):
        cluster(none, nodeConfig={"serviceAccount": "gone@p.iam.gserviceaccount.com"})
    with pytest.raises(CloudError, match="global/networks/gone' was not found"):
        create("compute/globalAddress:GlobalAddress", network="gone")
    create("compute/router:Router", name="r", network="default", region="us-central1")
    with pytest.raises(CloudError, match="subnetworks/gone' was not found"):
        create("compute/routerNat:RouterNat", router="r", region="us-central1", subnetworks=[{"name": "gone"}])

"""Labels, names, accounts and grants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount, Settings
from gpucluster.sandbox.clouds.gcp.identity import number_of
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.validate import Failure
from gpucluster.sandbox.clouds.values import UNKNOWN, Secret

Create = Callable[..., Entry]
Asked = Callable[..., Resource]
Stage = Any

ADDRESS = "compute/globalAddress:GlobalAddress"
MEMBER = "projects/iAMMember:IAMMember"
ROBOT = "robot-of-it@p.iam.gserviceaccount.com"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({f"k{at}": "v" for at in range(64)}, "65 labels; a resource may have 64"),
        ({"Team": "a"}, "label key 'Team' is not allowed"),
        ({"1st": "a"}, "label key '1st' is not allowed"),
        ({"k" * 64: "a"}, "is not allowed; allowed: a lower-case letter, then"),
        ({"team": "ML"}, "value 'ML' of label 'team' is not allowed"),
        ({"team": "a.b"}, "value 'a.b' of label 'team' is not allowed"),
        ({"team": "v" * 64}, "of label 'team' is not allowed"),
    ],
    ids=["count", "capital", "digit", "long key", "capital value", "dot", "long value"],
)
def test_labels_beyond_the_limits_are_refused(create: Create, labels: dict[str, str], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        create(ADDRESS, labels=labels)


def test_labels_at_the_limits_are_accepted(create: Create) -> None:
    labels = {**{f"k{at}": "" for at in range(61)}, "k" * 63: "v" * 63, "größe_-1": "öl_-1"}
    create(ADDRESS, labels=labels)


def test_labels_of_machines_have_the_same_limits(stage: Stage) -> None:
    with pytest.raises(CloudError, match="value 'ML' of label 'team'"):
        stage.pool(config={"resourceLabels": {"team": "ML"}})


def test_a_resource_bears_its_labels_over_the_default_ones_and_who_made_it(
    ledger: Ledger, create_in_gcp: Callable[..., Entry]
) -> None:
    settings = Settings(project="p", region="us-central1", default_labels={"team": "ml", "env": "trial"})
    made = create_in_gcp(GcpAccount(ledger, settings), ADDRESS, labels={"team": "own"})
    wanted = Secret({"env": "trial", "goog-pulumi-provisioned": "true", "team": "own"})
    assert (made.outputs["effectiveLabels"], made.outputs["pulumiLabels"]) == (wanted, wanted)
    assert made.outputs["labels"] == {"team": "own"}


def test_who_made_a_resource_is_left_out_on_request(ledger: Ledger, create_in_gcp: Callable[..., Entry]) -> None:
    made = create_in_gcp(GcpAccount(ledger, Settings(project="p", strategy=None)), ADDRESS)
    assert made.outputs["effectiveLabels"] == Secret({})


@pytest.mark.parametrize(
    ("strategy", "labels"), [("CREATION_ONLY", {}), ("PROACTIVE", {"goog-pulumi-provisioned": "true"})]
)
def test_a_resource_that_is_there_gets_the_label_by_the_strategy(
    ledger: Ledger, gcp: Asked, strategy: str, labels: dict[str, str]
) -> None:
    there = replace(gcp(ADDRESS), outputs={"effectiveLabels": Secret({})}, id="a")
    account = GcpAccount(ledger, Settings(project="p", strategy=strategy))
    assert account.derived(there)["effectiveLabels"] == Secret(labels)


def test_labels_that_are_not_known_yet_make_all_of_them_unknown(account: GcpAccount, gcp: Asked) -> None:
    assert account.known(gcp(ADDRESS, labels={"team": UNKNOWN}))["effectiveLabels"] is UNKNOWN


@pytest.mark.parametrize(
    "token",
    [
        "compute/network:Network",
        "compute/subnetwork:Subnetwork",
        "compute/firewall:Firewall",
        "compute/router:Router",
        "compute/routerNat:RouterNat",
        "compute/resourcePolicy:ResourcePolicy",
        "compute/reservation:Reservation",
        "serviceaccount/account:Account",
    ],
)
def test_types_without_labels_refuse_them(account: GcpAccount, gcp: Asked, token: str) -> None:
    failures = [failure for failure in account.failures(gcp(token, labels={"a": "b"})) if failure.path == "labels"]
    assert [failure.reason.split(";")[0] for failure in failures] == ["unknown property 'labels'"]


@pytest.mark.parametrize(
    ("token", "inputs", "failures"),
    [
        ("compute/network:Network", {"name": "Net"}, ["name"]),
        ("compute/network:Network", {"name": "n" * 64}, ["name"]),
        ("compute/network:Network", {"name": "n" * 63}, []),
        ("serviceaccount/account:Account", {"accountId": "short"}, ["accountId"]),
        ("serviceaccount/account:Account", {"accountId": "a" * 31}, ["accountId"]),
        ("serviceaccount/account:Account", {"accountId": "a" * 30}, []),
        ("container/cluster:Cluster", {"name": "c" * 41}, ["name"]),
        ("container/cluster:Cluster", {"name": "1-C-"}, ["name"]),
        ("container/cluster:Cluster", {"name": "c" * 40}, []),
        ("projects/iAMCustomRole:IAMCustomRole", {"roleId": "a-b", "title": "t", "permissions": []}, ["roleId"]),
    ],
)
def test_names_are_checked_before_anything_is_planned(
    account: GcpAccount, gcp: Asked, token: str, inputs: dict[str, Any], failures: list[str]
) -> None:
    assert [failure.path for failure in account.failures(gcp(token, **inputs))] == failures


@pytest.mark.parametrize(
    ("token", "name", "prop", "pattern"),
    [
        ("compute/network:Network", "Trial-VPC", "name", "trial-vpc-"),
        ("compute/firewall:Firewall", "trial", "name", "trial-"),
        ("serviceaccount/account:Account", "trial-nodes", "accountId", "trial-nodes-"),
        ("storage/bucket:Bucket", "data", "name", "data-"),
        ("projects/iAMCustomRole:IAMCustomRole", "role", "roleId", "role-"),
    ],
)
def test_a_name_is_made_up_as_the_provider_does(
    account: GcpAccount, gcp: Asked, token: str, name: str, prop: str, pattern: str
) -> None:
    inputs = account.defaults(gcp(token, name), b"seed")
    assert inputs[prop].startswith(pattern)
    assert len(inputs[prop]) == len(pattern) + 7
    assert prop in inputs["__defaults"]
    again = account.defaults(replace(gcp(token, name), old_inputs=inputs), b"another seed")
    assert again[prop] == inputs[prop]


def test_a_logical_name_that_leaves_no_room_is_refused(account: GcpAccount, gcp: Asked) -> None:
    name = "a" * 23
    assert account.failures(gcp("serviceaccount/account:Account", name)) == [
        Failure("accountId", f"name '{name}-' plus 7 random chars is longer than maximum length 30")
    ]


def test_an_account_has_an_address_that_is_known_while_planning(
    account: GcpAccount, gcp: Asked, create: Create
) -> None:
    asked = gcp("serviceaccount/account:Account", accountId="trial-nodes")
    wanted = "trial-nodes@p.iam.gserviceaccount.com"
    assert account.known(asked)["email"] == wanted
    assert account.known(asked)["member"] == f"serviceAccount:{wanted}"
    assert (
        create("serviceaccount/account:Account", accountId="trial-nodes").id == f"projects/p/serviceAccounts/{wanted}"
    )


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"member": "trial-nodes@p.iam.gserviceaccount.com"}, "Invalid principal: trial-nodes@p"),
        ({"role": "logging.logWriter"}, "Role logging.logWriter is not supported"),
        ({"member": "serviceAccount:x@p.iam.gserviceaccount.com"}, "Service account x@p.iam.* does not exist"),
        ({"role": "projects/p/roles/gone"}, "The role projects/p/roles/gone does not exist"),
        ({"member": "serviceAccount:p.svc.id.goog[ns/sa]"}, r"Identity Pool does not exist \(p\.svc\.id\.goog\)"),
    ],
    ids=str,
)
def test_a_grant_that_cannot_be_is_refused(create: Create, inputs: dict[str, str], message: str) -> None:
    given = {"project": "p", "role": "roles/logging.logWriter", "member": "user:a@example.com", **inputs}
    with pytest.raises(CloudError, match=message):
        create(MEMBER, **given)


def test_a_grant_goes_to_an_account_or_a_workload_that_is_there(make_stage: Callable[..., Stage]) -> None:
    create = make_stage(workloadIdentityConfig={"workloadPool": "p.svc.id.goog"}).create
    account = create("serviceaccount/account:Account", accountId="trial-nodes")
    role = create(
        "projects/iAMCustomRole:IAMCustomRole", roleId="own", title="t", permissions=["compute.instances.get"]
    )
    made = create(MEMBER, project="p", role=role.id, member=account.outputs["member"])
    assert made.id == f"p/projects/p/roles/own/{account.outputs['member']}"
    workload = {"role": "roles/iam.workloadIdentityUser", "member": "serviceAccount:p.svc.id.goog[ns/sa]"}
    create("serviceaccount/iAMMember:IAMMember", serviceAccountId=account.id, **workload)
    with pytest.raises(CloudError, match="Unknown service account projects/p/serviceAccounts/gone"):
        create("serviceaccount/iAMMember:IAMMember", serviceAccountId="projects/p/serviceAccounts/gone", **workload)


def test_a_permission_has_no_wildcard(create: Create) -> None:
    with pytest.raises(CloudError, match=r"Permission compute\.\* is not valid"):
        create("projects/iAMCustomRole:IAMCustomRole", roleId="own", title="t", permissions=["compute.*"])


def test_a_key_is_granted_to_the_account_that_gke_acts_as(create: Create) -> None:
    ring = create("kms/keyRing:KeyRing", location="us-central1", name="ring")
    key = create("kms/cryptoKey:CryptoKey", keyRing=ring.id, name="key", rotationPeriod="7776000s")
    gke = create("projects/serviceIdentity:ServiceIdentity", service="container.googleapis.com")
    role = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
    given = {"cryptoKeyId": key.id, "role": role, "member": gke.outputs["member"]}
    grant = create("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", **given)
    agent = f"service-{number_of('p')}@container-engine-robot.iam.gserviceaccount.com"
    assert [entry.id for entry in (ring, key, gke, grant)] == [
        "projects/p/locations/us-central1/keyRings/ring",
        "projects/p/locations/us-central1/keyRings/ring/cryptoKeys/key",
        "projects/p/services/container.googleapis.com",
        f"{key.id}/{role}/serviceAccount:{agent}",
    ]
    assert (gke.outputs["email"], gke.outputs["member"]) == (agent, f"serviceAccount:{agent}")
    assert key.outputs["primaries"] == [{"name": f"{key.id}/cryptoKeyVersions/1", "state": "ENABLED"}]


def test_a_key_that_does_not_encrypt_has_no_primary_version(create: Create) -> None:
    ring = create("kms/keyRing:KeyRing", location="us-central1", name="ring")
    key = create("kms/cryptoKey:CryptoKey", keyRing=ring.id, name="key", purpose="ASYMMETRIC_SIGN")
    assert key.outputs["primaries"] == []


@pytest.mark.parametrize(
    ("token", "inputs", "failures"),
    [
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"member": ""}, ["member"]),
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"member": "me@example.com"}, ["member"]),
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"cryptoKeyId": "projects/p/kms/cryptoKeys/k"}, ["cryptoKeyId"]),
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"cryptoKeyId": "p/us-central1/ring/k"}, []),
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"role": "cloudkms.admin"}, ["role"]),
        ("kms/cryptoKeyIAMMember:CryptoKeyIAMMember", {"role": "projects/p/roles/mine"}, []),
        ("projects/iAMMember:IAMMember", {"project": "p", "member": "deleted:user:a@example.com"}, ["member"]),
        ("projects/iAMMember:IAMMember", {"project": "p", "member": "allUsers"}, []),
        ("serviceaccount/iAMMember:IAMMember", {"serviceAccountId": "Bogus-Value"}, ["serviceAccountId"]),
        ("serviceaccount/iAMMember:IAMMember", {"serviceAccountId": f"projects/p/serviceAccounts/{ROBOT}"}, []),
    ],
)
def test_a_grant_names_a_member_a_role_and_a_thing_in_their_forms(
    account: GcpAccount, gcp: Asked, token: str, inputs: dict[str, Any], failures: list[str]
) -> None:
    asked = gcp(token, **{"role": "roles/viewer", "member": f"serviceAccount:{ROBOT}", **_granted(token), **inputs})
    assert [failure.path for failure in account.failures(asked)] == failures


def _granted(token: str) -> dict[str, str]:
    """What a grant is on, in its own form."""
    if token.startswith("kms"):
        return {"cryptoKeyId": "projects/p/locations/us-central1/keyRings/ring/cryptoKeys/key"}
    return {"project": "p"} if token.startswith("projects") else {}

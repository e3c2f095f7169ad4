"""Rules of role assignments, federated credentials and tags."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError

Stage = Any

ROLE = "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/4d97b98b-1d4f-4787-a291-c67834d212e7"
OTHER_ROLE = ROLE.replace("4d97b98b", "00000000")


def _grant(stage: Stage, name: str = "one", **inputs: Any) -> Any:
    given = {
        "principalId": stage.identity.outputs["principalId"],
        "roleDefinitionId": ROLE,
        "scope": stage.vnet.id,
        **inputs,
    }
    return stage.create("authorization:RoleAssignment", name, **given)


def test_an_identity_has_a_principal_a_client_and_a_tenant(stage: Stage) -> None:
    outputs = stage.identity.outputs
    assert len({outputs["principalId"], outputs["clientId"], outputs["tenantId"]}) == 3


def test_a_grant_is_under_what_it_is_for(stage: Stage) -> None:
    made = _grant(stage)
    assert made.id == f"{stage.vnet.id}/providers/Microsoft.Authorization/roleAssignments/{made.name}"
    assert made.outputs["principalType"] == "ServicePrincipal"


def test_an_identity_is_no_user(stage: Stage) -> None:
    message = r"has type 'ServicePrincipal' , which is different from specified PrinciaplType 'User'\."
    with pytest.raises(CloudError, match=f'Status=400 Code="UnmatchedPrincipalType" .*{message}'):
        _grant(stage, principalType="User")
    assert _grant(stage, principalType="ServicePrincipal").outputs["principalType"] == "ServicePrincipal"


def test_nothing_is_granted_twice(stage: Stage) -> None:
    _grant(stage)
    with pytest.raises(CloudError, match='Status=409 Code="RoleAssignmentExists"'):
        _grant(stage, "two")
    assert _grant(stage, "three", roleDefinitionId=OTHER_ROLE).outputs["roleDefinitionId"] == OTHER_ROLE
    assert _grant(stage, "four", scope=stage.group.id).outputs["scope"] == stage.group.id


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"roleAssignmentName": "mine"}, "The role assignment ID 'mine' is not valid"),
        ({"principalId": "/an/id"}, "The principal ID '/an/id' is not valid"),
        ({"roleDefinitionId": "Network Contributor"}, "The role definition ID 'Network Contributor' is not valid"),
    ],
)
def test_grants_go_by_guids(stage: Stage, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        _grant(stage, **inputs)


def test_a_federated_credential_is_one_of_its_kind(stage: Stage) -> None:
    given = {"resourceName": "identity", "issuer": "https://i", "audiences": ["api://AzureADTokenExchange"]}
    stage.make("managedidentity:FederatedIdentityCredential", "a", subject="system:serviceaccount:n:a", **given)
    with pytest.raises(CloudError, match="Issuer and subject combination already exists"):
        stage.make("managedidentity:FederatedIdentityCredential", "b", subject="system:serviceaccount:n:a", **given)
    for at in range(19):
        stage.make("managedidentity:FederatedIdentityCredential", f"c{at}", subject=f"s{at}", **given)
    with pytest.raises(CloudError, match="an identity may have 20"):
        stage.make("managedidentity:FederatedIdentityCredential", "last", subject="last", **given)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({f"t{at}": "v" for at in range(51)}, "51 tags on 'x'; a resource may have 50"),
        ({"n" * 513: "v"}, "has 513 characters; allowed: 1 to 512"),
        ({"n": "v" * 257}, "the value of tag 'n' has 257 characters; allowed: 256 at most"),
        ({"a/b": "v"}, r"The tag names 'a/b' have reserved characters '<,>,%,&,\\,\?,/' or control characters"),
        ({"Owner": "a", "owner": "b"}, "the tag name 'owner' is there more than once"),
    ],
)
def test_tags_beyond_the_limits_are_refused(stage: Stage, tags: dict[str, str], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.make("managedidentity:UserAssignedIdentity", resourceName="x", tags=tags)


def test_tags_within_the_limits_are_taken(stage: Stage) -> None:
    tags = {**{f"t{at}": "v" * 256 for at in range(49)}, "n" * 512: "a/b?c"}
    made = stage.make("managedidentity:UserAssignedIdentity", resourceName="x", tags=tags)
    assert made.outputs["tags"] == tags


def test_names_of_tags_of_a_storage_account_are_shorter(stage: Stage) -> None:
    with pytest.raises(CloudError, match="has 129 characters; allowed: 1 to 128"):
        stage.make(
            "storage:StorageAccount",
            accountName="mydata",
            kind="StorageV2",
            sku={"name": "Standard_LRS"},
            tags={"n" * 129: "v"},
        )

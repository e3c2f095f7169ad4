"""Names and locations that a program leaves to the provider."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.store.ledger import Entry

GUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@pytest.mark.parametrize(
    ("token", "prop", "pattern", "generated"),
    [
        ("network:VirtualNetwork", "virtualNetworkName", "it[0-9a-f]{8}", True),
        ("authorization:RoleAssignment", "roleAssignmentName", GUID, True),
    ],
)
def test_a_generated_name_follows_from_the_seed_and_lets_the_next_one_be_made_first(
    account: AzureAccount, azure: Callable[..., Resource], token: str, prop: str, pattern: str, generated: bool
) -> None:
    asked = azure(token, resourceGroupName="g", location="eastus")
    first, again, other = (account.defaults(asked, seed) for seed in (b"a", b"a", b"b"))
    assert re.fullmatch(pattern, first[prop])
    assert (first[prop] == again[prop], first[prop] == other[prop]) == (True, False)
    assert first.get("__createBeforeDelete", False) is generated
    kept = account.defaults(replace(asked, old_inputs=first), b"c")
    assert (kept[prop], kept.get("__createBeforeDelete", False)) == (first[prop], generated)
    given = account.defaults(replace(asked, inputs={**asked.inputs, prop: "mine"}), b"a")
    assert (given[prop], "__createBeforeDelete" in given) == ("mine", False)


def test_a_resource_lies_where_its_group_does(
    account: AzureAccount, azure: Callable[..., Resource], create: Callable[..., Entry]
) -> None:
    create("resources:ResourceGroup", "g", resourceGroupName="Group", location="westus3")
    asked: dict[str, Any] = {"resourceGroupName": "group", "virtualNetworkName": "v"}
    assert account.defaults(azure("network:VirtualNetwork", **asked), b"a")["location"] == "westus3"
    own = account.defaults(azure("network:VirtualNetwork", **asked, location="eastus"), b"a")
    assert own["location"] == "eastus"

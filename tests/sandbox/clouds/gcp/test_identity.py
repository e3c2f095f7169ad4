"""Labels, names, accounts and grants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount, Settings
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret

Create = Callable[..., Entry]
Asked = Callable[..., Resource]
Stage = Any

ADDRESS = "compute/globalAddress:GlobalAddress"


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

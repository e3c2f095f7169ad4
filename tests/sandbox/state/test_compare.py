"""What counts as an orphan, a ghost, a change; and what is done about an orphan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import Secret
from gpucluster.sandbox.state.compare import Difference, compare
from gpucluster.sandbox.state.repair import Repair, plan_repair, repaired
from gpucluster.sandbox.state.state import StackState

PREFIX = "urn:pulumi:dev::small::"
PROVIDER = f"{PREFIX}pulumi:providers:aws::default"
VPC = Entry(
    provider="aws",
    scope="us-east-1",
    type="aws:ec2/vpc:Vpc",
    id="vpc-1",
    name="",
    urn=f"{PREFIX}aws:ec2/vpc:Vpc::net",
    inputs={"cidrBlock": "10.0.0.0/16", "key": Secret("x")},
    outputs={"cidrBlock": "10.0.0.0/16", "region": "us-east-1", "tags": None, "key": Secret("x")},
    created_at="2026-01-02T00:00:00+00:00",
    provider_ref=f"{PROVIDER}::p1",
)
ENCRYPTED = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}
STACK = {"urn": f"{PREFIX}pulumi:pulumi:Stack::small-dev", "custom": False, "type": "pulumi:pulumi:Stack"}
AWS = {"urn": PROVIDER, "custom": True, "type": "pulumi:providers:aws", "id": "p1"}
IN_STATE = {
    "urn": VPC.urn,
    "custom": True,
    "type": VPC.type,
    "id": VPC.id,
    "provider": VPC.provider_ref,
    "outputs": {"cidrBlock": "10.0.0.0/16", "region": "us-east-1", "key": ENCRYPTED},
}


def _state(*resources: dict[str, Any], pending: tuple[dict[str, Any], ...] = ()) -> StackState:
    return StackState("dev", (STACK, AWS, *resources), pending)


def _compare(state: StackState, *ledger: Entry, recorded: dict[Any, float] | None = None) -> Difference:
    (found,) = compare([state], ledger, lambda: recorded or {})
    return found


def test_a_resource_on_both_sides_is_no_difference_nor_is_null_or_a_secret() -> None:
    assert _compare(_state(IN_STATE), VPC) == Difference("dev")


def test_what_only_the_cloud_has_is_an_orphan_with_and_without_a_pending_operation() -> None:
    assert _compare(_state(), VPC) == Difference("dev", orphans=[VPC])
    pending = {"type": "creating", "resource": {"urn": VPC.urn}}
    assert _compare(_state(pending=(pending,)), VPC) == Difference("dev", orphans=[VPC], pending=[pending])


@pytest.mark.parametrize("mark", ["delete", "pendingReplacement", "external"])
def test_what_only_the_state_has_is_a_ghost_unless_the_state_knows_that_it_may_be_gone(mark: str) -> None:
    assert _compare(_state(IN_STATE)) == Difference("dev", ghosts=[IN_STATE])
    assert _compare(_state({**IN_STATE, mark: True})) == Difference("dev")


def test_other_values_in_the_cloud_are_a_change() -> None:
    other = replace(VPC, outputs={**VPC.outputs, "tags": {"by": "hand"}})
    assert _compare(_state(IN_STATE), other) == Difference("dev", changed=[IN_STATE])


def test_a_replacement_that_is_there_under_the_same_id_is_taken_as_such() -> None:
    deleted = {**IN_STATE, "pendingReplacement": True}
    assert _compare(_state(deleted), VPC) == Difference("dev", remade=[(deleted, VPC)])


def test_the_same_id_in_another_region_is_another_resource() -> None:
    west = replace(VPC, scope="us-west-2", provider_ref="other", urn="urn:pulumi:dev::small::aws:ec2/vpc:Vpc::west")
    assert _compare(_state(IN_STATE), west, VPC) == Difference("dev", orphans=[west])


def test_an_imported_resource_of_google_cloud_is_found_though_its_scope_is_a_project() -> None:
    there = replace(VPC, provider="gcp", scope="my-project", type="gcp:compute/subnetwork:Subnetwork")
    imported = {**IN_STATE, "type": there.type, "urn": "urn:pulumi:prod::small::t::net", "provider": "another::p9"}
    assert compare([_state(), StackState("prod", (imported,))], [there], dict) == [
        Difference("dev"),
        Difference("prod"),
    ]


def test_what_one_stack_made_and_another_imported_is_no_orphan() -> None:
    imported = {**IN_STATE, "urn": "urn:pulumi:prod::small::aws:ec2/vpc:Vpc::net", "provider": "another::p9"}
    assert compare([_state(), StackState("prod", (imported,))], [VPC], dict) == [Difference("dev"), Difference("prod")]


def test_what_the_state_once_had_was_kept_on_purpose_unless_that_was_an_earlier_life() -> None:
    key = (VPC.type, VPC.id, VPC.urn)
    day = 1767312000.0  # 2026-01-02
    assert _compare(_state(), VPC, recorded={key: day + 0.5}) == Difference("dev", kept=[VPC])
    assert not _compare(_state(), VPC, recorded={key: day + 0.5})
    assert _compare(_state(), VPC, recorded={key: day - 3600}) == Difference("dev", orphans=[VPC])


def test_the_newest_orphan_of_a_urn_is_adopted_and_the_others_deleted() -> None:
    newer = replace(VPC, id="vpc-2")
    assert plan_repair(Difference("dev", orphans=[VPC, newer]), _state(), {}) == Repair(adopt=(newer,), delete=(VPC,))


def test_an_orphan_whose_urn_the_state_has_elsewhere_is_deleted_unless_that_is_gone() -> None:
    second = replace(VPC, id="vpc-2")
    assert plan_repair(Difference("dev", orphans=[second]), _state(IN_STATE), {}) == Repair(delete=(second,))
    gone = Difference("dev", orphans=[second], ghosts=[IN_STATE])
    assert plan_repair(gone, _state(IN_STATE), {}) == Repair(adopt=(second,))


def test_an_orphan_without_a_provider_in_the_state_is_left() -> None:
    difference = Difference("dev", orphans=[VPC])
    assert plan_repair(difference, StackState("dev", (STACK,)), {}) == Repair(leave=(VPC,))
    assert plan_repair(difference, None, {}) == Repair(leave=(VPC,))


def test_an_orphan_brings_the_provider_that_the_ledger_knows_and_the_root_of_an_empty_state() -> None:
    settings = {VPC.provider_ref: {"region": "us-east-1", "token": Secret("x")}}
    difference = Difference("dev", orphans=[VPC])
    repair = plan_repair(difference, StackState("dev", ()), settings)
    assert repair == Repair(adopt=(VPC,), providers=settings)
    assert plan_repair(difference, None, settings) == Repair(leave=(VPC,))
    root, provider, adopted = repaired({}, difference, repair)["resources"]
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": '"x"'}
    given = {"region": "us-east-1", "token": secret}
    assert (root, provider) == (STACK, {**AWS, "inputs": given, "outputs": given})
    assert (adopted["provider"], adopted["parent"]) == (VPC.provider_ref, STACK["urn"])


def test_an_adopted_resource_depends_on_all_that_was_there_before_it() -> None:
    subnet = {"urn": f"{PREFIX}aws:ec2/subnet:Subnet::s", "custom": True, "type": "aws:ec2/subnet:Subnet", "id": "s-1"}
    difference = Difference("dev", orphans=[VPC])
    before = {"resources": [STACK, AWS, subnet], "pending_operations": [{"type": "creating", "resource": subnet}]}
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": '"x"'}
    assert repaired(before, difference, Repair(adopt=(VPC,))) == {
        "resources": [
            STACK,
            AWS,
            subnet,
            {
                "urn": VPC.urn,
                "custom": True,
                "type": VPC.type,
                "provider": VPC.provider_ref,
                "parent": STACK["urn"],
                "dependencies": [subnet["urn"]],
                "id": "vpc-1",
                "inputs": {"cidrBlock": "10.0.0.0/16", "key": secret},
                "outputs": {"cidrBlock": "10.0.0.0/16", "region": "us-east-1", "tags": None, "key": secret},
                "created": VPC.created_at,
                "modified": VPC.created_at,
            },
        ],
        "pending_operations": [],
    }


def test_an_unfinished_create_tells_parent_and_dependencies_of_what_it_left() -> None:
    begun = {"urn": VPC.urn, "type": VPC.type, "custom": True, "parent": "box", "provider": VPC.provider_ref}
    operation = {"type": "creating", "resource": {**begun, "dependencies": ["gone", PROVIDER], "protect": True}}
    difference = Difference("dev", orphans=[VPC], pending=[operation])
    after = repaired({"resources": [STACK, AWS]}, difference, Repair(adopt=(VPC,)))["resources"][-1]
    assert {key: after[key] for key in ("parent", "dependencies", "protect", "id")} == {
        "parent": "box",
        "dependencies": [PROVIDER],
        "protect": True,
        "id": "vpc-1",
    }


def test_a_ghost_becomes_the_orphan_that_took_its_place() -> None:
    second = replace(VPC, id="vpc-2")
    difference = Difference("dev", orphans=[second], ghosts=[IN_STATE])
    after = repaired({"resources": [STACK, AWS, IN_STATE]}, difference, Repair(adopt=(second,)))["resources"]
    assert [(item["urn"], item.get("id")) for item in after[2:]] == [(VPC.urn, "vpc-2")]

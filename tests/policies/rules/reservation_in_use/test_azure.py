"""reservation-in-use on Azure: a reservation of the stack beside node pools of its size, and who may take it."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.reservation_in_use import RULE

IDLE = [
    ("held", "5 x Standard_ND96isr_H100_v5 reserved, and `train` starts Standard_ND96isr_H100_v5 outside of it"),
]
ELSEWHERE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/other"


def _reserve(program, machine="Standard_ND96isr_H100_v5"):
    program.add("azure-native:compute:CapacityReservationGroup", "group", {"capacityReservationGroupName": "mine"})
    reservation = {"capacityReservationGroupName": program.unknown, "sku": {"name": machine, "capacity": 5.0}}
    program.add("azure-native:compute:CapacityReservation", "held", reservation, capacityReservationGroupName=["group"])


@pytest.mark.parametrize("given", [ELSEWHERE.replace("other", "mine"), None])
def test_a_reservation_whose_group_is_named_passes(nd, found, unknown, given):
    _reserve(nd)
    nd["train"]["capacityReservationGroupID"] = given or nd.unknown
    nd.depends("train", "capacityReservationGroupID", *([] if given else ["group"]))
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_a_reservation_that_no_pool_names_is_paid_for_twice(nd, found):
    _reserve(nd)
    assert found(RULE, nd) == IDLE


def test_another_group_leaves_it_idle(nd, found):
    _reserve(nd)
    nd["train"]["capacityReservationGroupID"] = ELSEWHERE
    assert found(RULE, nd) == IDLE


def test_machines_of_another_size_are_not_asked(nd, found):
    _reserve(nd, "Standard_D4s_v5")
    assert found(RULE, nd) == []


def test_a_group_not_known_yet_is_said(nd, found, unknown):
    _reserve(nd)
    nd["train"]["capacityReservationGroupID"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("held", "whether `train` uses the machines that it reserves is not known yet")]


@pytest.mark.parametrize(("identity", "said"), [({"type": "SystemAssigned"}, "SystemAssigned"), (None, "of no type")])
def test_a_system_assigned_identity_can_take_none(nd, found, identity, said):
    nd["train"]["capacityReservationGroupID"] = ELSEWHERE
    assert found(RULE, nd) == []
    nd["cluster"]["identity"] = identity
    assert found(RULE, nd) == [
        (
            "train",
            f"capacity reservation group `other` for a cluster with identity {said}; required: UserAssigned",
        )
    ]


def test_an_identity_not_known_yet_is_said(nd, found, unknown):
    nd["train"]["capacityReservationGroupID"] = ELSEWHERE
    nd["cluster"]["identity"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "whether the cluster's identity may use its reservation is not known yet")]


def test_without_a_reservation_any_identity_will_do(nd, found):
    nd["cluster"]["identity"] = {"type": "SystemAssigned"}
    assert found(RULE, nd) == []

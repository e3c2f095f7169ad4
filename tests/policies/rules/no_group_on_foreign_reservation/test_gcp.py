"""no-group-on-foreign-reservation on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.no_group_on_foreign_reservation import RULE


def _reserved(program, *values):
    program["train"]["nodeConfig"]["reservationAffinity"] = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": list(values),
    }


def test_a_policy_made_by_gke_is_not_that_of_a_reservation(mega, found):
    _reserved(mega, "projects/p/reservations/mine")
    assert found(RULE, mega) == [
        (
            "train",
            "a compact placement policy of its own together with reservation `mine`, which was created outside this "
            "stack, so not with that policy",
        )
    ]


def test_a_policy_of_this_stack_is_not_that_of_a_reservation_made_elsewhere(mega, found):
    _reserved(mega, "mine/reservationBlocks/b")
    mega.add("gcp:compute/resourcePolicy:ResourcePolicy", "near", {"name": "near"})
    mega["train"]["placementPolicy"]["policyName"] = "near"
    assert found(RULE, mega) == [
        (
            "train",
            "placement policy `near` together with reservation `mine`, which was created outside this stack, so not "
            "with that policy",
        )
    ]


def test_a_reservation_of_this_stack_is_made_without_a_policy(mega, found):
    mega.add("gcp:compute/reservation:Reservation", "mine", {"name": "mine"})
    _reserved(mega, "mine")
    assert found(RULE, mega) == [
        (
            "train",
            "a compact placement policy of its own together with reservation `mine`, which is not created with that "
            "policy",
        )
    ]


def test_a_policy_named_from_elsewhere_may_be_that_of_the_reservation(mega, found, unknown):
    _reserved(mega, "mine")
    mega["train"]["placementPolicy"]["policyName"] = "made-with"
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        (
            "train",
            "policy `made-with` together with reservation `mine`: whether it was created with that policy is unknown",
        )
    ]


def test_a_reservation_without_a_policy_passes(mega, found, unknown):
    _reserved(mega, "mine")
    del mega["train"]["placementPolicy"]
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


@pytest.mark.parametrize("kind", ["ANY_RESERVATION", "NO_RESERVATION"])
def test_a_policy_beside_any_reservation_passes(mega, found, unknown, kind):
    mega["train"]["nodeConfig"]["reservationAffinity"] = {"consumeReservationType": kind}
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_reservation_that_is_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["reservationAffinity"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        ("train", "whether it has both a placement policy and a reservation is not known yet")
    ]


def test_pools_that_do_not_train_are_looked_at_as_well(mega, found):
    mega["train"]["nodeConfig"]["machineType"] = "a3-highgpu-1g"
    _reserved(mega, "mine")
    assert [name for name, _ in found(RULE, mega)] == ["train"]

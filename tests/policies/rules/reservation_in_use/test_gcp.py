"""reservation-in-use on Google Cloud: a reservation of the stack beside node pools of its machine type."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.reservation_in_use import RULE

IDLE = [("mine", "5 x a3-megagpu-8g reserved, and `train` starts a3-megagpu-8g outside of it")]


def _reserve(program, machine="a3-megagpu-8g", required=True):
    properties = {"machineType": machine}
    program.add(
        "gcp:compute/reservation:Reservation",
        "mine",
        {
            "name": "mine",
            "specificReservation": {"count": 5.0, "instanceProperties": properties},
            "specificReservationRequired": required,
        },
    )


def _affinity(program, kind, *values):
    program["train"]["nodeConfig"]["reservationAffinity"] = {"consumeReservationType": kind, "values": list(values)}


def test_a_reservation_that_is_named_passes(mega, found, unknown):
    _reserve(mega)
    _affinity(mega, "SPECIFIC_RESERVATION", "projects/p/reservations/mine")
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_reservation_that_must_be_named_and_is_not_is_paid_for_twice(mega, found):
    _reserve(mega)
    assert found(RULE, mega) == IDLE


def test_another_reservation_leaves_this_one_idle(mega, found):
    _reserve(mega, required=False)
    _affinity(mega, "SPECIFIC_RESERVATION", "other")
    assert found(RULE, mega) == IDLE


def test_a_reservation_that_need_not_be_named_is_taken(mega, found, unknown):
    _reserve(mega, required=False)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


@pytest.mark.parametrize("how", ["NO_RESERVATION", "spot", "flexStart"])
def test_what_takes_no_reservation_leaves_it_idle(mega, found, how):
    _reserve(mega, required=False)
    if how == "NO_RESERVATION":
        _affinity(mega, how)
    else:
        mega["train"]["nodeConfig"][how] = True
    assert found(RULE, mega) == IDLE


def test_machines_of_another_type_are_not_asked(mega, found):
    _reserve(mega, machine="a3-highgpu-8g")
    assert found(RULE, mega) == []


def test_a_reservation_not_known_yet_is_said(mega, found, unknown):
    _reserve(mega)
    _affinity(mega, "SPECIFIC_RESERVATION", mega.unknown)
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("mine", "whether `train` uses the machines that it reserves is not known yet")]
    mega.depends("train", "nodeConfig", "mine")
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])

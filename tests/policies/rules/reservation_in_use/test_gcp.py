"""reservation-in-use on Google Cloud: a reservation of the stack beside node pools of its machine type."""

from __future__ import annotations

from gpucluster.policies.rules.reservation_in_use import RULE
from tests.says import Says


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


def test_a_reservation_not_known_yet_is_said(mega, found, unknown):
    _reserve(mega)
    _affinity(mega, "SPECIFIC_RESERVATION", mega.unknown)
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("mine", Says("train", "machines", "reserves", "not"))]
    mega.depends("train", "nodeConfig", "mine")
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])

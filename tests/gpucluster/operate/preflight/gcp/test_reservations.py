"""A reservation: its zone, machines, use, and who may use it."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from tests.gpucluster.operate.preflight.gcp.asked import one, summary
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused
from tests.gpucluster.operate.preflight.gcp.world import reservation

OWN = "projects/my-project/reservations/h100-mega"
FOREIGN = "projects/their-project/reservations/h100-mega"
POLICY = "h100-mega-placement"


def the_reservation(subject: str = OWN, policy: str = POLICY, **more: Any) -> Answer:
    wanted = {"machine": "a3-megagpu-8g", "local_ssds": "16", "policy": policy}
    return one("reservation", subject, 5, "us-central1-b", unit="x a3-megagpu-8g", **wanted, **more)


@pytest.mark.parametrize(
    ("has", "found", "fix"),
    [
        ({"count": 5}, "5 of 5 free", ""),
        ({"count": 8, "used": 3}, "5 of 8 free", ""),
        ({"count": 8, "used": 4}, "4 of 8 free", "1 more must be free: enlarge it, or request fewer nodes"),
        ({"ssds": 0}, "1,000 of 1,000 free", ""),
        ({"ssds": 8}, "1,000 of 1,000 free", "its machines have 8 local SSDs, not 16"),
        ({"machine": "a3-highgpu-8g"}, "1,000 of 1,000 free", "it holds a3-highgpu-8g, not a3-megagpu-8g"),
        ({"status": "CREATING"}, "1,000 of 1,000 free", "it is creating, not ready"),
        ({"resourcePolicies": {}}, "1,000 of 1,000 free", "its placement policy is none, not h100-mega-placement"),
        (
            {"specificReservationRequired": False},
            "1,000 of 1,000 free",
            "any machine of the project may take its capacity: make it specific (--require-specific-reservation)",
        ),
    ],
)
def test_a_reservation_is_compared_with_the_plan(google: Google, has: Any, found: str, fix: str) -> None:
    google.answers["compute.reservations.get"] = lambda _: reservation(**has)
    assert summary(the_reservation()) == ("stops up" if fix else "fine", found, fix)


def test_a_placement_policy_that_the_spec_lacks_stops(google: Google) -> None:
    assert google.port
    assert the_reservation(policy="").fix == f"it has the placement policy {POLICY}: write it as placement.group"


@pytest.mark.parametrize(
    ("share", "verdict"),
    [
        ({"shareType": "SPECIFIC_PROJECTS", "projectMap": {"my-project": {"projectId": "my-project"}}}, "fine"),
        ({"shareType": "SPECIFIC_PROJECTS", "projectMap": {"x": {"projectId": "x"}}}, "stops up"),
        ({"shareType": "ORGANIZATION"}, "fine"),
        ({}, "stops up"),
    ],
)
def test_a_reservation_of_another_project_is_shared(google: Google, share: Any, verdict: str) -> None:
    google.answers["compute.reservations.get"] = lambda _: reservation(shareSettings=share)
    found = the_reservation(FOREIGN)
    assert str(found.verdict) == verdict
    assert ("does not share it" in found.fix) == (verdict != "fine")
    assert google.calls[0].given["project"] == "their-project"


@pytest.mark.parametrize(("used", "verdict"), [(3, "fine"), (4, "stops up")])
def test_a_block_has_its_own_count(google: Google, used: int, verdict: str) -> None:
    block = {"count": 8, "inUseCount": used, "status": "READY"}
    google.answers["compute.reservationBlocks.get"] = lambda _: {"resource": block}
    google.answers["compute.reservations.get"] = lambda _: reservation(name="h100-mega")
    found = the_reservation(f"{OWN}/reservationBlocks/block-1")
    assert summary(found)[:2] == (verdict, f"{8 - used} of 8 free")
    assert "block-1" in [call.given.get("reservationBlock") for call in google.calls]


@pytest.mark.parametrize(
    ("zones", "futures", "found", "fix"),
    [
        (["us-central1-a"], [], "it is in us-central1-a", "set the zone of the stack to us-central1-a"),
        ([], [], "does not exist", "write the id of a reservation as placement.id"),
        (
            [],
            [
                {"name": "other"},
                {
                    "name": "f",
                    "reservationName": "h100-mega",
                    "status": {"procurementStatus": "APPROVED"},
                    "timeWindow": {"startTime": "2026-12-07T00:00:00Z"},
                },
            ],
            "future reservation, approved",
            "wait until it is delivered, 2026-12-07T00:00:00Z",
        ),
    ],
)
def test_a_missing_reservation_is_elsewhere_or_later(
    google: Google, zones: list[str], futures: list[Any], found: str, fix: str
) -> None:
    def absent(_: Call) -> Any:
        raise Refused(404, "The resource was not found")

    items = {f"zones/{zone}": {"reservations": [{"name": "h100-mega"}]} for zone in zones}
    google.answers |= {
        "compute.reservations.get": absent,
        "compute.reservations.aggregatedList": lambda _: {"items": {"zones/us-east4-a": {}, **items}},
        "compute.futureReservations.list": lambda _: {"items": futures},
    }
    assert summary(the_reservation()) == ("stops up", found, fix)
    assert str(the_reservation(decides=False).verdict) == "warns"

"""Machines, Managed Lustre and versions of GKE where the stack is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from tests.gpucluster.operate.preflight.gcp.asked import one, summary
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused

ZONE = "us-central1-b"
MACHINE = "a3-megagpu-8g"
ADVICE = "set the zone of the stack, or choose storage.shared.kind: bucket"


def absent(_: Call) -> Any:
    raise Refused(404, "The resource was not found")


def machine() -> Answer:
    return one("machine", MACHINE, place=ZONE, accelerator="nvidia-h100-mega-80gb", pool="the training pool")


def test_a_listed_machine_is_no_promise(google: Google) -> None:
    assert summary(machine()) == ("fine", "listed, which does not promise capacity", "")
    assert [call.given.get("acceleratorType") for call in google.calls] == [None, "nvidia-h100-mega-80gb"]


@pytest.mark.parametrize(
    ("zones", "fix"),
    [
        (
            ["us-central1-a", "us-central1-c", "us-east4-b"],
            "it is listed in us-central1: us-central1-a, us-central1-c; set the zone of the stack",
        ),
        (["us-east4-b"], "it is listed elsewhere: us-east4-b; set the zone of the stack"),
        ([], "it is listed nowhere for this project"),
    ],
)
def test_a_machine_of_another_zone_has_its_zones_in_the_advice(google: Google, zones: list[str], fix: str) -> None:
    def pages(call: Call) -> Any:
        assert call.given["filter"] == f"name={MACHINE}"
        if "pageToken" not in call.given:
            return {"items": {"zones/us-west1-a": {}}, "nextPageToken": "2"}
        return {"items": {f"zones/{zone}": {"machineTypes": [{"name": MACHINE}]} for zone in zones}}

    google.answers |= {"compute.machineTypes.get": absent, "compute.machineTypes.aggregatedList": pages}
    found = machine()
    assert summary(found) == ("stops up", "not listed", fix)
    assert found.scenario == {"capacity": [{"cloud": "gcp", "zone": ZONE, "machine": MACHINE, "available": 0}]}


def test_a_machine_without_its_gpus_stops(google: Google) -> None:
    google.answers["compute.acceleratorTypes.get"] = absent
    assert summary(machine())[:2] == ("stops up", "listed, but without its GPUs, nvidia-h100-mega-80gb")


def capacity(model: str) -> Answer:
    return one("capacity", MACHINE, 4, ZONE, unit="machines", model=model, hours="120", decides=False)


def test_flex_start_has_a_likelihood_and_a_zone(google: Google) -> None:
    assert summary(capacity("FLEX_START")) == ("fine", "Google recommends us-central1-b, likelihood 0.7 of 1", "")
    [call] = google.calls
    assert (call.id, call.body["size"]) == ("compute.advice.capacity", 4)
    assert call.body["instanceProperties"] == {"scheduling": {"provisioningModel": "FLEX_START"}}


@pytest.mark.parametrize(
    ("answer", "verdict", "found"),
    [
        (
            {"recommendations": [{"shards": [{"zone": "zones/us-central1-a"}]}]},
            "warns",
            "Google recommends us-central1-a",
        ),
        ({}, "can't tell", "Google recommends no zone of the region"),
    ],
)
def test_flex_start_elsewhere_is_a_warning(google: Google, answer: Any, verdict: str, found: str) -> None:
    google.answers["compute.advice.capacity"] = lambda _: answer
    assert summary(capacity("FLEX_START"))[:2] == (verdict, found)


def test_a_calendar_reservation_has_a_zone_and_a_day(google: Google) -> None:
    assert summary(capacity("CALENDAR")) == ("fine", "us-central1-b from 2026-12-07T00:00:00Z", "")
    [call] = google.calls
    spec = call.body["futureResourcesSpecs"]["training"]
    assert spec["targetResources"] == {"specificSkuResources": {"machineType": MACHINE, "instanceCount": "4"}}
    assert spec["timeRangeSpec"]["minDuration"] == "432000s"


@pytest.mark.parametrize(
    ("window", "found"),
    [
        (
            {"location": "zones/us-central1-a", "startTime": "2026-12-09T00:00:00Z"},
            "us-central1-a from 2026-12-09T00:00:00Z",
        ),
        (
            {"otherLocations": {"zones/us-central1-b": {"status": "NO_CAPACITY"}}},
            "no zone of the region has them within 60 days",
        ),
    ],
)
def test_a_calendar_without_capacity_here_is_a_warning(google: Google, window: Any, found: str) -> None:
    answer = {"recommendations": [{"recommendationsPerSpec": {"training": window}}]}
    google.answers["compute.advice.calendarMode"] = lambda _: answer
    assert summary(capacity("CALENDAR"))[:2] == ("warns", found)


def version(needed: str, channel: str = "REGULAR") -> Answer:
    return one("gke-version", f"channel {channel}", needed, "us-central1")


@pytest.mark.parametrize(
    ("needed", "channel", "verdict", "found"),
    [
        ("1.35", "REGULAR", "fine", "1.35.2-gke.1842000"),
        ("1.35.2-gke.1842000", "REGULAR", "fine", "1.35.2-gke.1842000"),
        ("1.34.1-gke.1", "REGULAR", "fine", "1.34.1-gke.1"),
        ("1.3", "REGULAR", "stops up", "offered: 1.34, 1.35"),
        ("1.36", "REGULAR", "stops up", "offered: 1.34, 1.35"),
        ("1.35", "EXTENDED", "stops up", "offered: 1.33"),
        ("1.35", "RAPID", "stops up", "offered: none"),
    ],
)
def test_the_channel_offers_the_version(google: Google, needed: str, channel: str, verdict: str, found: str) -> None:
    offered = google.answers["container.projects.locations.getServerConfig"]
    google.answers["container.projects.locations.getServerConfig"] = lambda call: {
        **offered(call),
        "validNodeVersions": ["1.34.1-gke.1"],
    }
    assert summary(version(needed, channel))[:2] == (verdict, found)


@pytest.mark.parametrize(
    ("pages", "verdict", "fix"),
    [
        ([["us-central1-a"], [ZONE]], "fine", ""),
        ([["us-central1-a", "us-east4-a"]], "stops up", f"us-central1-a has it: {ADVICE}"),
        ([["us-east4-a"]], "stops up", f"no zone of us-central1 has it: {ADVICE}"),
    ],
)
def test_the_zone_has_lustre(google: Google, pages: list[list[str]], verdict: str, fix: str) -> None:
    def answer(call: Call) -> Mapping[str, Any]:
        number = int(call.given.get("pageToken", ["0"])[0])
        more = {"nextPageToken": str(number + 1)} if number + 1 < len(pages) else {}
        return {"locations": [{"locationId": zone} for zone in pages[number]], **more}

    google.answers["lustre.projects.locations.list"] = answer
    found = one("lustre-zone", "Managed Lustre", place=ZONE)
    assert (str(found.verdict), found.fix) == (verdict, fix)


def test_lustre_whose_api_is_off_is_no_answer(google: Google) -> None:
    def off(_: Call) -> Any:
        raise Refused(403, reason="SERVICE_DISABLED", service="lustre.googleapis.com")

    google.answers["lustre.projects.locations.list"] = off
    found = one("lustre-zone", "Managed Lustre", place=ZONE)
    assert (str(found.verdict), found.found, found.blocks) == (
        "can't tell",
        "lustre.googleapis.com is not enabled",
        True,
    )

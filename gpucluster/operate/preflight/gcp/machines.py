"""Machine types in the zone, and what Google advises about their capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from pydantic import Field

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, each, last
from gpucluster.operate.preflight.answers import Answer, fine, refused, unknown

_COMPUTE: Final = "compute:v1"


class _Scope(Reading):
    machine_types: Sequence[Reading] = ()


class _Everywhere(Page):
    items: Mapping[str, _Scope] = Field(default_factory=dict[str, _Scope])


def ask_machines(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the zone lists the machine and its GPUs: without them it can have none, with them it may be sold out."""
    return each(partial(_machine, client), questions)


def _machine(client: Client, question: Question) -> Answer:
    where = {"project": client.project, "zone": question.place}
    machine = client.found(_COMPUTE, "machineTypes.get", Reading, **where, machineType=question.subject)
    accelerator = question.details["accelerator"]
    if machine is not None and accelerator:
        gpu = client.found(_COMPUTE, "acceleratorTypes.get", Reading, **where, acceleratorType=accelerator)
        if gpu is None:
            fix = "choose another zone for the stack"
            return refused(question, f"listed, but without its GPUs, {accelerator}", fix, _listing(client, question))
    if machine is not None:
        return fine(question, "listed, which does not promise capacity")
    zones = _zones(client, question.subject)
    region = question.place.rpartition("-")[0]
    near = [zone for zone in zones if zone.startswith(f"{region}-")]
    there = f"in {region}: {', '.join(near)}" if near else f"elsewhere: {', '.join(zones)}" if zones else "nowhere"
    none = {"cloud": "gcp", "zone": question.place, "machine": question.subject, "available": 0}
    fix = f"it is listed {there}; set the zone of the stack" if zones else "it is listed nowhere for this project"
    return refused(question, "not listed", fix, _listing(client, question), scenario={"capacity": [none]})


def _listing(client: Client, question: Question) -> str:
    return f"gcloud compute machine-types list --filter=name={question.subject} --project={client.project}"


def _zones(client: Client, machine: str) -> list[str]:
    pages = client.pages(
        _COMPUTE, "machineTypes.aggregatedList", _Everywhere, project=client.project, filter=f"name={machine}"
    )
    return sorted(last(place) for page in pages for place, scope in page.items.items() if scope.machine_types)


class _Scores(Reading):
    obtainability: float | None = None


class _Shard(Reading):
    zone: str = ""


class _Recommendation(Reading):
    scores: _Scores = _Scores()
    shards: Sequence[_Shard] = ()


class _Advice(Reading):
    recommendations: Sequence[_Recommendation] = ()


class _Window(Reading):
    location: str = ""
    start_time: str = ""


class _Windows(Reading):
    recommendations_per_spec: Mapping[str, _Window] = Field(default_factory=dict[str, _Window])


class _Calendar(Reading):
    recommendations: Sequence[_Windows] = ()


def ask_capacity(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """What Google advises: for flex-start the likelihood and a zone, for a calendar reservation a zone and a day."""
    return [(_calendar if one.details["model"] == "CALENDAR" else _flex_start)(client, one) for one in questions]


def _flex_start(client: Client, question: Question) -> Answer:
    body = {
        "distributionPolicy": {"targetShape": "ANY_SINGLE_ZONE"},
        "instanceFlexibilityPolicy": {"instanceSelections": {_NAME: {"machineTypes": [question.subject]}}},
        "instanceProperties": {"scheduling": {"provisioningModel": question.details["model"]}},
        "size": question.needed,
    }
    where = {"project": client.project, "region": question.place.rpartition("-")[0]}
    found = client.ask(_COMPUTE, "advice.capacity", _Advice, **where, body=body).recommendations
    zones = sorted({last(shard.zone) for one in found for shard in one.shards if shard.zone})
    if not zones:
        return unknown(question, "Google recommends no zone of the region")
    score = found[0].scores.obtainability
    likely = "" if score is None else f", likelihood {score:.1f} of 1"
    return _advised(question, zones, f"Google recommends {', '.join(zones)}{likely}")


def _calendar(client: Client, question: Question) -> Answer:
    hours = int(question.details["hours"] or 24)
    now = datetime.now(UTC)
    spec: Mapping[str, Any] = {
        "targetResources": {
            "specificSkuResources": {"machineType": question.subject, "instanceCount": str(question.needed)}
        },
        "timeRangeSpec": {
            "startTimeNotEarlierThan": now.isoformat(),
            "startTimeNotLaterThan": (now + timedelta(days=_LAST_DAY)).isoformat(),
            "minDuration": f"{hours * 3600}s",
            "maxDuration": f"{hours * 3600}s",
        },
        "deploymentType": "DENSE",
    }
    where = {"project": client.project, "region": question.place.rpartition("-")[0]}
    body = {"futureResourcesSpecs": {_NAME: spec}}
    answer = client.ask(_COMPUTE, "advice.calendarMode", _Calendar, **where, body=body)
    found = [window for one in answer.recommendations for window in one.recommendations_per_spec.values()]
    free = [window for window in found if window.location]
    if not free:
        return refused(
            question, f"no zone of the region has them within {_LAST_DAY} days", "try another region or fewer"
        )
    zones = sorted({last(window.location) for window in free})
    return _advised(question, zones, f"{last(free[0].location)} from {free[0].start_time}")


_NAME: Final = "training"
_LAST_DAY: Final = 60
"""Source: Compute Engine documentation, "Create a future reservation request in calendar mode" (availability is visible
for 60 days)."""


def _advised(question: Question, zones: Sequence[str], found: str) -> Answer:
    if question.place in zones:
        return fine(question, found)
    return refused(question, found, f"set the zone of the stack to {zones[0]}, or expect to wait")

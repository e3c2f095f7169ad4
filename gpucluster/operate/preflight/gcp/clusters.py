"""Versions of GKE in the region, and Managed Lustre in the zone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import Field

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Page, Reading
from gpucluster.operate.preflight.answers import Answer, fine, refused


class _Channel(Reading):
    channel: str = ""
    valid_versions: Sequence[str] = ()


class _Server(Reading):
    channels: Sequence[_Channel] = ()
    valid_node_versions: Sequence[str] = ()


def ask_versions(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the channel offers a version that begins with the plan's, such as 1.35."""
    place = questions[0].place
    name = f"projects/{client.project}/locations/{place}"
    found = client.ask("container:v1", "projects.locations.getServerConfig", _Server, name=name)
    channels = {one.channel: one.valid_versions for one in found.channels}
    return [_version(one, channels, found.valid_node_versions, client.project) for one in questions]


def _version(question: Question, channels: Mapping[str, Sequence[str]], nodes: Sequence[str], project: str) -> Answer:
    version = str(question.needed)
    offered = channels.get(question.subject.rpartition(" ")[2], ())
    exact = re.compile(rf"{re.escape(version)}(?![0-9])")
    # Pools that exist may have a version that the channel no longer offers.
    fitting = [one for one in offered if exact.match(one)] or [one for one in nodes if one == version]
    if fitting:
        return fine(question, fitting[0])
    minors = sorted(
        {".".join(one.split(".")[:2]) for one in offered}, key=lambda one: [int(part) for part in one.split(".")]
    )
    command = f"gcloud container get-server-config --location={question.place} --project={project}"
    fix = f"write one of them as versions.kubernetes: {', '.join(minors)}" if minors else "choose another channel"
    return refused(question, f"offered: {', '.join(minors) or 'none'}", fix, command)


class _Location(Reading):
    location_id: str = ""


class _Locations(Page):
    locations: Sequence[_Location] = Field(default=())


LUSTRE: Final = "https://lustre.googleapis.com/v1"
"""Source: Managed Lustre API v1, projects.locations.list, which has the answer of all Google APIs with locations
(googleapis, google/cloud/location/locations.proto)."""


def ask_lustre_zone(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether the zone has Managed Lustre."""
    pages = client.pages_at(f"{LUSTRE}/projects/{client.project}/locations", _Locations)
    zones = {one.location_id for page in pages for one in page.locations}
    return [_zone(one, zones, client.project) for one in questions]


def _zone(question: Question, zones: set[str], project: str) -> Answer:
    if question.place in zones:
        return fine(question, "there")
    region = question.place.rpartition("-")[0]
    near = sorted(zone for zone in zones if zone.startswith(f"{region}-"))
    there = f"{', '.join(near)} has it" if near else f"no zone of {region} has it"
    fix = f"{there}: set the zone of the stack, or choose storage.shared.kind: bucket"
    return refused(question, "not there", fix, f"gcloud lustre locations list --project={project}")

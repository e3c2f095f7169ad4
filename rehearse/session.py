"""A rehearsal on one cluster: the objects are made, watched, and taken away again."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from gpucluster.errors import InputError
from gpucluster.rehearse.family import Families, Family
from gpucluster.rehearse.manifests import Manifest
from gpucluster.rehearse.outcome import Outcome, outcome_of, refused
from gpucluster.rehearse.pools import listed, unsimulated_pools
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.narrow import items, mapping

__all__ = ["Seen", "rehearse"]

Say = Callable[[str], None]

_TICK_SECONDS: Final = 0.5
_SETTLE_SECONDS: Final = 8.0
"""For which Kueue must have said the same before it counts: its first word may be that it is still looking."""
_STILL_SECONDS: Final = 20.0
"""For which nothing may have changed at all: Karpenter collects pods for up to 10 s before it starts a machine."""
_GONE_SECONDS: Final = 20.0
_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")
_TOPOLOGY: Final = ("kueue.x-k8s.io/v1beta2", "Topology")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """outcomes: in the order of the manifests. nodes, topologies: of the cluster while the jobs were in it."""

    outcomes: Sequence[Outcome]
    nodes: Sequence[Mapping[str, Any]]
    topologies: Sequence[Mapping[str, Any]]


def rehearse(client: Client, manifests: Sequence[Manifest], *, seconds: float, say: Say) -> Seen:
    """What becomes of each object that makes pods, and of each other one that is refused; nothing of it stays.

    seconds: after which what does not run counts as waiting. Raises InputError where an object of that name is there,
    and ObjectRefused where the server does not answer.
    """
    _refuse_those_there(client, manifests)
    claims = _names(client, *_CLAIM)
    taken, outcomes = _submittable(client, manifests)
    families = Families(client)
    with _submitted(client, families, taken, outcomes, claims, say) as made:
        say(f"submitted {len(made)} of {len(manifests)} objects; waiting for their pods, {seconds:g} s at most")
        watched = [(manifest, uid) for manifest, uid in made if manifest.makes_pods]
        outcomes += _watch(client, families, watched, seconds, say)
        order = {id(manifest): place for place, manifest in enumerate(manifests)}
        return Seen(
            outcomes=sorted(outcomes, key=lambda outcome: order[id(outcome.manifest)]),
            nodes=listed(client, "v1", "Node"),
            topologies=listed(client, *_TOPOLOGY),
        )


def _refuse_those_there(client: Client, manifests: Sequence[Manifest]) -> None:
    there = [one for one in manifests if client.knows(one.body["apiVersion"], one.kind) and client.get(one.body)]
    if there:
        advice = "delete it there first (gpucluster sandbox kubectl delete ...), or rehearse it under another name"
        raise InputError(
            "rehearsal", [f"{one.source}: {one.title} is in the cluster already; {advice}" for one in there]
        )


def _submittable(client: Client, manifests: Sequence[Manifest]) -> tuple[list[Manifest], list[Outcome]]:
    """(those that the server takes, what it says of the others)."""
    taken: list[Manifest] = []
    outcomes: list[Outcome] = []
    for manifest in manifests:
        try:
            client.apply(manifest.body, dry_run=True)
        except ObjectRefused as refusal:
            # Its namespace, which the same files may make.
            if refusal.code != HTTPStatus.NOT_FOUND:
                outcomes.append(refused(manifest, str(refusal)))
                continue
        taken.append(manifest)
    return taken, outcomes


@contextmanager
def _submitted(
    client: Client,
    families: Families,
    manifests: Sequence[Manifest],
    outcomes: list[Outcome],
    claims: set[str],
    say: Say,
) -> Generator[list[tuple[Manifest, str]]]:
    """The objects that were made, with their uids; gone afterwards, with the machines that came for them."""
    made: list[tuple[Manifest, str]] = []
    try:
        for manifest in manifests:
            try:
                there = client.create(manifest.body)
            except ObjectRefused as refusal:
                outcomes.append(refused(manifest, str(refusal)))
            else:
                made.append((manifest, str(mapping(there.get("metadata")).get("uid"))))
        yield made
    finally:
        with suppress(ObjectRefused):
            _made_for(families, made)
        for manifest, _ in reversed(made):
            client.delete(manifest.body)
        _wait_until_gone(client, families, made, say)
        for name in _names(client, *_CLAIM) - claims:
            client.delete({"apiVersion": _CLAIM[0], "kind": _CLAIM[1], "metadata": {"name": name}})


def _made_for(families: Families, made: Sequence[tuple[Manifest, str]]) -> list[str]:
    """What controllers made for the objects. Asked before the objects go, it learns whose is whose."""
    return [one for manifest, uid in made if manifest.makes_pods for one in families.made_for(uid, manifest.namespace)]


def _wait_until_gone(client: Client, families: Families, made: Sequence[tuple[Manifest, str]], say: Say) -> None:
    """Kubernetes deletes what an object owns after the object, kind by kind."""
    end = time.monotonic() + _GONE_SECONDS
    while left := [*_still_there(client, made), *_made_for(families, made)]:
        if time.monotonic() > end:
            say(f"not gone after {_GONE_SECONDS:.0f} s, though deleted: {', '.join(left)}")
            return
        time.sleep(_TICK_SECONDS)


def _still_there(client: Client, made: Sequence[tuple[Manifest, str]]) -> list[str]:
    return [
        manifest.title
        for manifest, uid in made
        if mapping(mapping(client.get(manifest.body)).get("metadata")).get("uid") == uid
    ]


def _watch(
    client: Client, families: Families, watched: Sequence[tuple[Manifest, str]], seconds: float, say: Say
) -> list[Outcome]:
    found = dict[int, Outcome]()
    start, heard = time.monotonic(), dict[int, tuple[object, float]]()
    while len(found) < len(watched):
        now = time.monotonic()
        missing = unsimulated_pools(client)
        for number, (manifest, uid) in enumerate(watched):
            if number in found:
                continue
            family = families.of(uid, manifest.namespace)
            since = _unchanged(heard, number, _told(family), now)
            patience = _SETTLE_SECONDS if _kept_out(family) else _STILL_SECONDS
            last = now - start > seconds or now - since > patience
            outcome = outcome_of(manifest, family, unsimulated=missing, last=last)
            if outcome is not None:
                found[number] = outcome
                say(f"{manifest.title} {outcome.verdict} ({now - start:.0f} s)")
        time.sleep(_TICK_SECONDS if len(found) < len(watched) else 0)
    return list(found.values())


def _unchanged(heard: dict[int, tuple[object, float]], number: int, told: object, now: float) -> float:
    """Since when it has been told so."""
    if number not in heard or heard[number][0] != told:
        heard[number] = (told, now)
    return heard[number][1]


def _told(family: Family) -> object:
    """What Kueue and the scheduler say, without times."""
    said = [*_conditions(family), *(one for pod in family.pods for one in _conditions_of(pod))]
    nodes = [mapping(pod.get("spec")).get("nodeName") for pod in family.pods]
    return nodes, [(one.get("type"), one.get("status"), one.get("message")) for one in said]


def _kept_out(family: Family) -> bool:
    """Whether Kueue has looked at it and let it wait: no machine that comes changes that."""
    return ("QuotaReserved", "False") in [(one.get("type"), one.get("status")) for one in _conditions(family)]


def _conditions(family: Family) -> list[Mapping[str, Any]]:
    """Of its Workloads."""
    return [one for load in family.workloads for one in _conditions_of(load)]


def _conditions_of(thing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(one) for one in items(mapping(thing.get("status")).get("conditions"))]


def _names(client: Client, api_version: str, kind: str) -> set[str]:
    return {str(mapping(item.get("metadata")).get("name")) for item in listed(client, api_version, kind)}

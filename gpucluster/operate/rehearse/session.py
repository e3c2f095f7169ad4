"""Creates objects of a rehearsal in a cluster and deletes them, with all objects that controllers created for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.errors import InputError
from gpucluster.operate.rehearse.controller_logs import controller_error
from gpucluster.operate.rehearse.objects import Families, Family, Manifest
from gpucluster.operate.rehearse.outcome import (
    Outcome,
    Verdict,
    listed,
    name_of,
    outcome_of,
    refused,
    unsimulated_pools,
)
from gpucluster.sandbox.api_server.client import Client, ObjectRefused

Say = Callable[[str], None]

_TICK_SECONDS: Final = 0.5
_GONE_SECONDS: Final = 20.0
_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")


class Stage:
    """Creates and deletes objects. outcomes: collects the server's refusals."""

    def __init__(self, client: Client, outcomes: list[Outcome], say: Say) -> None:
        self.families = Families(client)
        self._client, self._outcomes, self._say = client, outcomes, say
        self._claims = _claims(client)

    @contextmanager
    def submitted(self, manifests: Sequence[Manifest]) -> Generator[list[tuple[Manifest, str]]]:
        """The created objects, with their uids; deleted afterwards, with the machines that were started for them."""
        made: list[tuple[Manifest, str]] = []
        try:
            for manifest in manifests:
                try:
                    there = self._client.create(manifest.submitted)
                except ObjectRefused as refusal:
                    self._outcomes.append(refused(manifest, str(refusal)))
                else:
                    made.append((manifest, str(mapping(there.get("metadata")).get("uid"))))
            yield made
        finally:
            self._take_away(made)

    def _take_away(self, made: Sequence[tuple[Manifest, str]]) -> None:
        with suppress(ObjectRefused):
            self._made_for(made)
        for manifest, _ in reversed(made):
            self._client.delete(manifest.submitted)
        # Of a group that ran, Kueue keeps deleted pods, with their GPUs, for others in their place.
        for group in {manifest.group for manifest, _ in made if manifest.group} if self._client.knows(*_RECORD) else ():
            self._client.delete(_record(group))
        self._wait_until_gone(lambda: [*self._still_there(made), *self._made_for(made)])
        claims = [_claim(name) for name in _claims(self._client) - self._claims]
        for claim in claims:
            self._client.delete(claim)
        self._wait_until_gone(lambda: [f"NodeClaim {name_of(claim)}" for claim in claims if self._client.get(claim)])

    def _made_for(self, made: Sequence[tuple[Manifest, str]]) -> list[str]:
        """Objects that controllers created for these. A call before their deletion records the ownership."""
        return [
            one
            for manifest, uid in made
            if manifest.makes_pods
            for one in self.families.made_for(uid, manifest.namespace)
        ]

    def _still_there(self, made: Sequence[tuple[Manifest, str]]) -> list[str]:
        return [
            manifest.title
            for manifest, uid in made
            if mapping(mapping(self._client.get(manifest.submitted)).get("metadata")).get("uid") == uid
        ]

    def _wait_until_gone(self, look: Callable[[], list[str]]) -> None:
        """Kubernetes deletes an object's dependents after the object, kind by kind."""
        end = time.monotonic() + _GONE_SECONDS
        while left := look():
            if time.monotonic() > end:
                self._say(f"still exists {_GONE_SECONDS:.0f} s after deletion: {', '.join(left)}")
                return
            time.sleep(_TICK_SECONDS)


_RECORD: Final = ("kueue.x-k8s.io/v1beta2", "Workload")


def _record(group: str) -> Mapping[str, Any]:
    """Kueue's record of a group of pods, `NAMESPACE/NAME`."""
    namespace, _, name = group.partition("/")
    return {"apiVersion": _RECORD[0], "kind": _RECORD[1], "metadata": {"name": name, "namespace": namespace}}


def _claim(name: str) -> Mapping[str, Any]:
    return {"apiVersion": _CLAIM[0], "kind": _CLAIM[1], "metadata": {"name": name}}


def _claims(client: Client) -> set[str]:
    return {name_of(item) for item in listed(client, *_CLAIM)}


# Counted in looks, not in seconds: on a busy machine both the controllers and a look take longer.
_SETTLE_LOOKS: Final = 16
"""Looks, in 8 s, for which Kueue's answer must be unchanged to count: its first may be that it is still searching."""
_STILL_LOOKS: Final = 40
"""Looks, in 20 s, without any change: Karpenter collects pods for up to 10 s before it starts a machine."""
_TOPOLOGY: Final = ("kueue.x-k8s.io/v1beta2", "Topology")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """outcomes: in the order of the manifests. nodes, topologies: of the cluster while the jobs were in it."""

    outcomes: Sequence[Outcome]
    nodes: Sequence[Mapping[str, Any]]
    topologies: Sequence[Mapping[str, Any]]


def rehearse(
    client: Client,
    manifests: Sequence[Manifest],
    *,
    seconds: float,
    together: bool = False,
    say: Say,
    logs: Callable[[], Iterable[tuple[str, str]]] = tuple,
) -> Seen:
    """The outcome of each object that creates pods, and of each other refused one; deletes all of them.

    Objects without pods exist for all jobs. seconds: time after which a job that does not run counts as waiting.
    together: all at once, instead of one by one, each on the initial cluster; pods of one group always are. logs: of
    the controllers, for an admitted job without pods. Raises InputError if an object of that
    name exists, and ObjectRefused if the server does not answer.
    """
    _refuse_those_there(client, manifests)
    taken, outcomes = _submittable(client, manifests)
    stage = Stage(client, outcomes, say)
    jobs = [one for one in taken if one.makes_pods]
    nodes = dict[str, Mapping[str, Any]]()
    with stage.submitted([one for one in taken if not one.makes_pods]):
        for some in [jobs] if together else _groups(jobs):
            with stage.submitted(some) as made:
                if made:
                    titles = ", ".join(manifest.title for manifest, _ in made)
                    say(f"submitted {titles}; waiting up to {seconds:g} s for its pods")
                outcomes += _watch(client, stage.families, made, seconds, say, logs)
                nodes |= {name_of(node): node for node in listed(client, "v1", "Node")}
        topologies = listed(client, *_TOPOLOGY)
    order = {id(manifest): place for place, manifest in enumerate(manifests)}
    return Seen(
        outcomes=sorted(outcomes, key=lambda outcome: order[id(outcome.manifest)]),
        nodes=[*nodes.values()],
        topologies=topologies,
    )


def _groups(jobs: Sequence[Manifest]) -> list[list[Manifest]]:
    """Each job alone, the pods of a group together."""
    found: dict[object, list[Manifest]] = {}
    for job in jobs:
        found.setdefault(job.group or id(job), []).append(job)
    return [*found.values()]


def _refuse_those_there(client: Client, manifests: Sequence[Manifest]) -> None:
    there = [one for one in manifests if _exists(client, one.body) or _exists(client, one.submitted)]
    if there:
        advice = "delete it first (gpucluster sandbox kubectl delete ...), or rename it for the rehearsal"
        raise InputError(
            "rehearsal", [f"{one.source}: {one.title} already exists in the cluster; {advice}" for one in there]
        )


def _exists(client: Client, body: Mapping[str, Any]) -> bool:
    return client.knows(body["apiVersion"], body["kind"]) and client.get(body) is not None


def _submittable(client: Client, manifests: Sequence[Manifest]) -> tuple[list[Manifest], list[Outcome]]:
    """(accepted manifests, outcomes of the others)."""
    taken: list[Manifest] = []
    outcomes: list[Outcome] = []
    for manifest in manifests:
        try:
            client.apply(manifest.body, dry_run=True)
        except ObjectRefused as refusal:
            # Its namespace, which the same files may create.
            if refusal.code != HTTPStatus.NOT_FOUND:
                outcomes.append(refused(manifest, str(refusal)))
                continue
        taken.append(manifest)
    return taken, outcomes


def _watch(
    client: Client,
    families: Families,
    watched: Sequence[tuple[Manifest, str]],
    seconds: float,
    say: Say,
    logs: Callable[[], Iterable[tuple[str, str]]],
) -> list[Outcome]:
    found = dict[int, Outcome]()
    start, looks = time.monotonic(), dict[int, tuple[object, int]]()
    while len(found) < len(watched):
        now = time.monotonic()
        missing = unsimulated_pools(client)
        for number, (manifest, uid) in enumerate(watched):
            if number in found:
                continue
            family = families.of(uid, manifest.namespace)
            patience = _SETTLE_LOOKS if _kept_out(family) else _STILL_LOOKS
            last = now - start > seconds or _unchanged(looks, number, _messages(family)) > patience
            outcome = outcome_of(manifest, family, unsimulated=missing, last=last)
            if outcome is not None:
                if outcome.admitted and not outcome.places and outcome.verdict is Verdict.WAITS:
                    names = {manifest.name, *map(name_of, family.workloads)}
                    error = controller_error(logs(), names, manifest.namespace)
                    outcome = replace(outcome, why=(*outcome.why, *([error] if error else [])))
                found[number] = outcome
                say(f"{manifest.title} {outcome.verdict} ({now - start:.0f} s)")
        time.sleep(_TICK_SECONDS if len(found) < len(watched) else 0)
    return list(found.values())


def _unchanged(looks: dict[int, tuple[object, int]], number: int, messages: object) -> int:
    """For how many looks it is unchanged."""
    before, count = looks.get(number, (None, 0))
    looks[number] = (messages, count + 1 if before == messages else 0)
    return looks[number][1]


def _messages(family: Family) -> object:
    """The messages of Kueue and the scheduler, without times."""
    conditions = [*_conditions(family), *(one for pod in family.pods for one in _conditions_of(pod))]
    nodes = [mapping(pod.get("spec")).get("nodeName") for pod in family.pods]
    return nodes, [(one.get("type"), one.get("status"), one.get("message")) for one in conditions]


def _kept_out(family: Family) -> bool:
    """Whether Kueue has evaluated it and lets it wait: further machines do not change that."""
    return ("QuotaReserved", "False") in [(one.get("type"), one.get("status")) for one in _conditions(family)]


def _conditions(family: Family) -> list[Mapping[str, Any]]:
    """The conditions of its Workloads."""
    return [one for load in family.workloads for one in _conditions_of(load)]


def _conditions_of(thing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(one) for one in items(mapping(thing.get("status")).get("conditions"))]

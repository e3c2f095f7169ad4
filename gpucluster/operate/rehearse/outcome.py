"""Pools of a live cluster that never get a machine, because the component that would start one does not run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.operate.rehearse.objects import Family, Manifest
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.live.karpenter import without_machines

_LABEL: Final = "gpucluster/pool"
_FLAVOR: Final = ("kueue.x-k8s.io/v1beta2", "ResourceFlavor")
_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")


def unsimulated_pools(client: Client) -> dict[str, str]:
    """Name of a pool without nodes -> the component that would start one. Raises ObjectRefused."""
    with_nodes = {_labels(node).get(_LABEL) for node in client.list("v1", "Node")}
    karpenter = {name_of(pool): pool for pool in listed(client, *_NODE_POOL)}
    not_here = without_machines(karpenter.values())
    queued = {
        str(mapping(mapping(flavor.get("spec")).get("nodeLabels")).get(_LABEL) or name_of(flavor))
        for flavor in listed(client, *_FLAVOR)
    }
    return {
        name: not_here.get(name, "the cloud's own autoscaler")
        for name in sorted(queued | {*not_here})
        if name not in with_nodes and (name in not_here or name not in karpenter)
    }


def listed(client: Client, api_version: str, kind: str) -> list[Mapping[str, Any]]:
    """All objects of a kind; empty for a kind that the cluster does not have. Raises ObjectRefused."""
    return [*client.list(api_version, kind)] if client.knows(api_version, kind) else []


def _labels(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(node.get("metadata")).get("labels"))


def name_of(item: Mapping[str, Any]) -> str:
    """The name of an object of the cluster."""
    return str(mapping(item.get("metadata")).get("name"))


Object = Mapping[str, Any]

_POOL: Final = "gpucluster/pool"


class Verdict(StrEnum):
    """The verdict as text."""

    RUNS = "would run"
    REFUSED = "is refused"
    WAITS = "would not run"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of a pod. node: None if it has none. waits: the reason, in Kubernetes' words; empty if it runs.

    gpus: requested whole GPUs; slices: of MIG, as `3 x mig-1g.10gb`.
    """

    pod: str
    node: str | None
    waits: str
    gpus: int
    slices: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """queue: None if Kueue does not manage it. admitted: also None then. why: reasons, each a sentence of the component
    that blocks it.
    """

    manifest: Manifest
    verdict: Verdict
    queue: str | None = None
    admitted: bool | None = None
    places: tuple[Place, ...] = ()
    why: tuple[str, ...] = ()


_HINTS: Final = {
    'in version "ray.io/': "KubeRay is not installed; ask an administrator for it (docs/run/jobs.md)",
    'in version "kubeflow.org/': "it belongs to Kubeflow's former Training Operator; write a TrainJob of Trainer",
    "podTemplateOverrides": "a field of former versions of Trainer; write spec.runtimePatches",
    "podSpecOverrides": "a field of former versions of Trainer; write spec.runtimePatches",
    "no matches for kind": "its controller is not installed; ask an administrator for it, or write another kind",
}
"""Part of a message of the API server -> what a researcher can do; the first that fits."""


def refused(manifest: Manifest, words: str) -> Outcome:
    """An object that the API server refuses."""
    hint = next((hint for part, hint in _HINTS.items() if part in words), None)
    return Outcome(manifest=manifest, verdict=Verdict.REFUSED, why=(words, *([hint] if hint else [])))


def outcome_of(manifest: Manifest, family: Family, *, unsimulated: Mapping[str, str], last: bool) -> Outcome | None:
    """The outcome so far; None while it may still change.

    unsimulated: name of a pool without a machine -> the component that would start one, which does not run here. last:
    whether the time is over.
    """
    places = tuple(map(_place, family.pods))
    queue, admitted = _queue(family.workloads)
    runs = Outcome(manifest=manifest, verdict=Verdict.RUNS, queue=queue, admitted=admitted, places=places)
    expected = _expected(manifest, family.workloads)
    waits = tuple(dict.fromkeys(place.waits for place in places if place.waits))
    if expected and len(places) >= expected and not waits and admitted is not False:
        return runs
    missing = tuple(dict.fromkeys(_without_machine(family, unsimulated)))
    if missing and (last or (places and all(place.waits for place in places))):
        return replace(runs, verdict=Verdict.UNKNOWN, why=missing)
    if not last:
        return None
    why = tuple(dict.fromkeys([*_of_queue(family.workloads), *_of_events(family.events)])) or waits
    if family.claims and waits and all(_by_its_volume(one) for one in waits):
        return replace(runs, verdict=Verdict.UNKNOWN, why=tuple(map(_unbound, family.claims)))
    few = f"{len(places)} of {expected or 'its'} pods were created" if places else "none of its pods was created"
    return replace(runs, verdict=Verdict.WAITS, why=why or (few,))


_NO_REQUESTS: Final = "no TAS flavor assigned"
"""Kueue's message about it. Source: kubernetes-sigs/kueue issues 12562 and 14707."""
_NOT_STARTED: Final = "not started yet"


def _by_its_volume(waits: str) -> bool:
    """Whether a pod waits for nothing but a volume: the scheduler has chosen a node, or does so with the volume."""
    return waits == _NOT_STARTED or "unbound immediate PersistentVolumeClaims" in waits


def _unbound(claim: str) -> str:
    return f"claim {claim} has no volume, and the CSI driver, which would create one, is not simulated"


def _queue(workloads: Sequence[Object]) -> tuple[str | None, bool | None]:
    if not workloads:
        return None, None
    queue = str(mapping(workloads[0].get("spec")).get("queueName") or "")
    return queue or None, all(_is(workload, "Admitted") for workload in workloads)


def _expected(manifest: Manifest, workloads: Sequence[Object]) -> int:
    """The expected number of pods; 0 while unknown."""
    sets = [mapping(one) for load in workloads for one in items(mapping(load.get("spec")).get("podSets"))]
    queued = sum(int(one.get("count") or 1) for one in sets)
    spec = mapping(manifest.submitted.get("spec"))
    match str(manifest.submitted["kind"]):
        case "Pod":
            return 1
        case "Deployment" | "ReplicaSet" | "StatefulSet":  # Kueue has a Workload for each of its pods.
            return int(spec.get("replicas", 1))
        case "Job":
            return int(spec.get("parallelism") or 1)
        case _:
            return queued


def _is(thing: Object, condition: str) -> bool:
    return any(one.get("type") == condition and one.get("status") == "True" for one in _conditions(thing))


def _conditions(thing: Object) -> Iterator[Object]:
    yield from map(mapping, items(mapping(thing.get("status")).get("conditions")))


def _of_queue(workloads: Sequence[Object]) -> Iterator[str]:
    """Kueue's reasons for a Workload that it does not start."""
    for workload in workloads:
        for one in _conditions(workload):
            kept_out = (one.get("type"), one.get("status")) in (("QuotaReserved", "False"), ("Evicted", "True"))
            if kept_out and one.get("message"):
                yield f"Kueue: {one['message']}"
                if _NO_REQUESTS in str(one["message"]):
                    yield "a pod that requests nothing gets no place in this queue; set resources.requests.cpu in each"
        for check in map(mapping, items(mapping(workload.get("status")).get("admissionChecks"))):
            if check.get("state") != "Ready":
                message = f": {check['message']}" if check.get("message") else ""
                yield f"Kueue waits for its check {check.get('name')}, which is {check.get('state')}{message}"


def _of_events(events: Sequence[Object]) -> Iterator[str]:
    """Warnings, the latest of each reason; the pods themselves contain those of the scheduler."""
    latest = {str(event.get("reason")): event for event in events}
    for reason, event in latest.items():
        if reason not in ("FailedScheduling", "Pending"):
            about = mapping(event.get("involvedObject"))
            yield f"{about.get('kind')} {about.get('name')}: {event.get('message')}"


def _without_machine(family: Family, unsimulated: Mapping[str, str]) -> Iterator[str]:
    for pod in family.pods:
        pool = str(mapping(mapping(pod.get("spec")).get("nodeSelector")).get(_POOL) or "")
        if pool in unsimulated and obstacle(pod):
            yield _unsimulated(pool, unsimulated)
    # Nodes that a queue requests before it lets pods be created; its own errors are verdicts.
    for workload in family.workloads:
        pool = str(mapping(workload.get("spec")).get("queueName") or "")
        for check in map(mapping, items(mapping(workload.get("status")).get("admissionChecks"))):
            failed = str(check.get("message") or "").startswith("Error")
            if pool in unsimulated and check.get("state") == "Pending" and not failed:
                yield _unsimulated(pool, unsimulated)


def _unsimulated(pool: str, unsimulated: Mapping[str, str]) -> str:
    return f"pool {pool} has no machine, and {unsimulated[pool]}, which would start one, is not simulated"


def _place(pod: Object) -> Place:
    spec = mapping(pod.get("spec"))
    gpus, slices = _gpus(spec)
    return Place(
        pod=str(mapping(pod.get("metadata")).get("name")),
        node=str(spec["nodeName"]) if spec.get("nodeName") else None,
        waits=obstacle(pod),
        gpus=gpus,
        slices=slices,
    )


def _gpus(spec: Object) -> tuple[int, str]:
    whole, slices = 0, dict[str, int]()
    for container in map(mapping, items(spec.get("containers"))):
        resources = mapping(container.get("resources"))
        asked = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
        for name, amount in asked.items():
            if name == "nvidia.com/gpu":
                whole += int(amount)
            elif str(name).startswith("nvidia.com/mig-"):
                short = str(name).removeprefix("nvidia.com/")
                slices[short] = slices.get(short, 0) + int(amount)
    return whole, ", ".join(f"{count} x {name}" for name, count in slices.items())


def obstacle(pod: Object) -> str:
    """The obstacle of a pod; empty if there is none."""
    status = mapping(pod.get("status"))
    if status.get("phase") in ("Running", "Succeeded"):
        return ""
    if status.get("phase") == "Failed":
        return f"failed: {status.get('message') or status.get('reason') or 'no reason given'}"
    gates = [str(mapping(gate).get("name")) for gate in items(mapping(pod.get("spec")).get("schedulingGates"))]
    if gates:
        return f"blocked by scheduling gates: {', '.join(gates)}"
    for one in _conditions(pod):
        # The scheduler does not change it after the gates are removed, until it has a node or an obstacle.
        stale = one.get("reason") == "SchedulingGated"
        if one.get("type") == "PodScheduled" and one.get("status") == "False" and not stale:
            return str(one.get("message") or one.get("reason"))
    for container in map(
        mapping, [*items(status.get("initContainerStatuses")), *items(status.get("containerStatuses"))]
    ):
        waiting = mapping(mapping(container.get("state")).get("waiting"))
        if waiting:
            return f"container {container.get('name')}: {waiting.get('message') or waiting.get('reason')}"
    return _NOT_STARTED

"""The state of each job of a cluster, by Kueue's Workloads, the jobs themselves and their pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.operate.jobs.objects import KINDS, ClusterObjects, Object, owner_of
from gpucluster.operate.rehearse.controller_logs import controller_error
from gpucluster.operate.rehearse.outcome import name_of, obstacle

USER: Final = "gpucluster/user"
"""Label of a job with its user. Kubernetes does not record the creator of an object."""
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_FEW_SECONDS: Final = 60
"""Time from admission to the first pod that is nothing to report."""


class State(StrEnum):
    """The state as text."""

    WAITING = "waiting"
    PODLESS = "admitted without pods"
    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped for good"
    FAILED = "failed"
    FINISHED = "finished"


ENDED: Final = frozenset({State.STOPPED, State.FAILED, State.FINISHED})


@dataclass(frozen=True, kw_only=True)
class Pod:
    """phase: Kubernetes' own. node: empty without one."""

    name: str
    phase: str
    node: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """place: in its queue, from 1 on, and the number of waiting jobs there; None if it does not wait. reason: empty
    where the state needs none. resume: the command that starts a stopped job again; empty for others. expected: number
    of its pods; 0 if unknown. user: empty if its label is missing. workload: Kueue's record; None without one.
    """

    kind: str
    namespace: str
    name: str
    queue: str
    state: State
    reason: str
    resume: str
    place: tuple[int, int] | None
    pods: tuple[Pod, ...]
    expected: int
    user: str
    workload: Object | None


def jobs_of(objects: ClusterObjects, now: datetime) -> list[Job]:
    """By namespace and name: every job with a Workload, and jobs without one that no other job created."""
    own = {
        str(mapping(job.get("metadata")).get("uid")): (kind, job) for kind, all_ in objects.jobs.items() for job in all_
    }
    places = _places(objects.workloads)
    found: list[Job] = []
    for workload in objects.workloads:
        owner = owner_of(workload) or next(iter(_owners(workload)), _NOTHING)
        kind, job = own.pop(str(owner.get("uid")), (str(owner.get("kind") or "Workload"), None))
        found.append(_job(kind, job, workload, objects, places.get(_uid(workload)), now))
    found += [_job(kind, job, None, objects, None, now) for kind, job in own.values()]
    return sorted(found, key=lambda one: (one.namespace, one.name, one.kind))


def _job(
    kind: str,
    job: Object | None,
    workload: Object | None,
    objects: ClusterObjects,
    place: tuple[int, int] | None,
    now: datetime,
) -> Job:
    record = workload or {}
    metadata = mapping((job or record).get("metadata"))
    labels = mapping(metadata.get("labels"))
    owner = next(iter(_owners(record)), _NOTHING)
    name = str(metadata.get("name") if job is not None or not owner else owner.get("name"))
    namespace = str(metadata.get("namespace"))
    pods = [pod for pod in objects.pods if _belongs(pod, kind, namespace, name, record)]
    sets = map(mapping, items(mapping(record.get("spec")).get("podSets")))
    expected = sum(int(one.get("count") or 1) for one in sets)
    state, reason = _state(job or {}, record, pods, expected, now)
    if state is State.PODLESS:
        reason = _why_podless(objects, namespace, name, record) or reason
    return Job(
        kind=kind,
        namespace=namespace,
        name=name,
        queue=str(mapping(record.get("spec")).get("queueName") or labels.get(_QUEUE) or ""),
        state=state,
        reason=reason,
        resume=_resume(record) if mapping(record.get("spec")).get("active") is False and state is State.STOPPED else "",
        place=place if state is State.WAITING else None,
        pods=tuple(sorted(map(_pod, pods), key=lambda pod: pod.name)),
        expected=expected,
        user=str(labels.get(USER) or ""),
        workload=workload,
    )


_NOTHING: Final[Object] = {}


def _owners(item: Object) -> list[Object]:
    return [mapping(one) for one in items(mapping(item.get("metadata")).get("ownerReferences"))]


def _uid(item: Object) -> str:
    return str(mapping(item.get("metadata")).get("uid"))


def _pod(pod: Object) -> Pod:
    node = mapping(pod.get("spec")).get("nodeName")
    return Pod(name=name_of(pod), phase=str(mapping(pod.get("status")).get("phase")), node=str(node or ""))


def _belongs(pod: Object, kind: str, namespace: str, name: str, workload: Object) -> bool:
    """By the label of its job, or because the Workload's owner is the pod or its owner."""
    metadata = mapping(pod.get("metadata"))
    if metadata.get("namespace") != namespace:
        return False
    if kind in KINDS:
        return mapping(metadata.get("labels")).get(KINDS[kind][1]) == name
    above = {owner.get("uid") for owner in _owners(workload)}
    return _uid(pod) in above or any(owner.get("uid") in above for owner in _owners(pod))


def _state(job: Object, workload: Object, pods: Sequence[Object], expected: int, now: datetime) -> tuple[State, str]:
    own, kueue = _conditions(job), _conditions(workload)
    finished = kueue.get("Finished")
    if failed := own.get("Failed"):
        return State.FAILED, str(failed.get("message") or failed.get("reason") or "")
    if own.keys() & {"Complete", "Completed"}:
        return State.FINISHED, ""
    if finished is not None and finished.get("reason") == "OutOfSync":
        return State.STOPPED, f"Kueue ended its record ({finished.get('message')}); delete the job and create it again"
    if finished is not None:
        failed_too = finished.get("reason") != "Succeeded"
        return (State.FAILED if failed_too else State.FINISHED), str(finished.get("message") if failed_too else "")
    if mapping(workload.get("spec")).get("active") is False:
        cause = kueue.get("Evicted") or kueue.get("DeactivationTarget") or {}
        return State.STOPPED, str(cause.get("message") or "")
    if "Admitted" in kueue and (elsewhere := mapping(workload.get("status")).get("clusterName")):
        return State.RUNNING, f"in the cluster {elsewhere}"
    if "Admitted" in kueue:
        return _admitted(kueue["Admitted"], pods, expected, now)
    if not workload and any(mapping(pod.get("status")).get("phase") == "Running" for pod in pods):
        return State.RUNNING, "in no queue"
    return State.WAITING, " ".join(_waiting(workload))


def _conditions(item: Object) -> dict[str, Object]:
    """Those that are true, by type."""
    found = map(mapping, items(mapping(item.get("status")).get("conditions")))
    return {str(one.get("type")): one for one in found if one.get("status") == "True"}


def _resume(workload: Object) -> str:
    metadata = mapping(workload.get("metadata"))
    patch = f"kubectl -n {metadata.get('namespace')} patch workload {metadata.get('name')} --type merge"
    return f"""{patch} -p '{{"spec":{{"active":true}}}}'"""


def _admitted(condition: Object, pods: Sequence[Object], expected: int, now: datetime) -> tuple[State, str]:
    phases = [mapping(pod.get("status")).get("phase") for pod in pods]
    if pods and phases.count("Running") + phases.count("Succeeded") >= max(expected, 1):
        return State.RUNNING, ""
    if pods:
        return State.STARTING, next((text for text in map(obstacle, pods) if text), "")
    seconds = (now - moment(condition.get("lastTransitionTime"), now)).total_seconds()
    if seconds < _FEW_SECONDS:
        return State.STARTING, ""
    return State.PODLESS, f"for {seconds / 60:,.0f} min, and nothing in its namespace says why"


def _waiting(workload: Object) -> Iterator[str]:
    """What Kueue and its checks wait for."""
    if not workload:
        yield "Kueue has no record of it"
    for one in map(mapping, items(mapping(workload.get("status")).get("conditions"))):
        if (one.get("type"), one.get("status")) == ("QuotaReserved", "False") and one.get("message"):
            yield str(one["message"])
    for check in map(mapping, items(mapping(workload.get("status")).get("admissionChecks"))):
        if check.get("state") != "Ready":
            yield f"check {check.get('name')} is {check.get('state')}: {check.get('message') or 'no message'}"


def _why_podless(objects: ClusterObjects, namespace: str, name: str, workload: Object) -> str | None:
    """The latest warning about the job or about what was created for it, else an error in a controller's log."""
    names = {name, name_of(workload)}
    about = [
        (str(event.get("lastTimestamp") or event.get("eventTime") or ""), str(event.get("message")))
        for event in objects.events
        if event.get("type") == "Warning"
        and mapping(event.get("metadata")).get("namespace") == namespace
        and _named(str(mapping(event.get("involvedObject")).get("name")), names)
    ]
    return max(about)[1] if about else controller_error(objects.logs(), names, namespace)


def _named(name: str, names: set[str]) -> bool:
    """Whether it is one of the names, or that of a part: `JOB-node-0`."""
    return name in names or any(name.startswith((f"{one}-node-", f"{one}-launcher-")) for one in names)


def moment(text: object, otherwise: datetime) -> datetime:
    """A time of an object."""
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except ValueError:
        return otherwise


def _places(workloads: Sequence[Object]) -> dict[str, tuple[int, int]]:
    """uid -> place in its queue and length of the queue, in Kueue's order: by priority, then by age.

    Source: kubernetes-sigs/kueue v0.19.2, pkg/cache/queue/cluster_queue.go (queueOrderingFunc) and pkg/workload/
    workload.go (GetQueueOrderTimestamp).
    """
    queues: dict[tuple[object, object], list[Object]] = {}
    for one in workloads:
        spec = mapping(one.get("spec"))
        if spec.get("active") is not False and not _conditions(one).keys() & {"QuotaReserved", "Finished"}:
            queues.setdefault((mapping(one.get("metadata")).get("namespace"), spec.get("queueName")), []).append(one)
    return {
        _uid(one): (number, len(queue))
        for queue in queues.values()
        for number, one in enumerate(sorted(queue, key=_order), 1)
    }


def _order(workload: Object) -> tuple[int, str]:
    evicted = _conditions(workload).get("Evicted", {})
    timed_out = evicted.get("reason") == "PodsReadyTimeout"
    since = (
        evicted.get("lastTransitionTime") if timed_out else mapping(workload.get("metadata")).get("creationTimestamp")
    )
    return -int(mapping(workload.get("spec")).get("priority") or 0), str(since)

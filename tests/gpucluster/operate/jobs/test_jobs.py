"""The state of a job, by the objects that a cluster has of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.core.text.type_guards import mapping
from gpucluster.operate.jobs.jobs import Job, State, jobs_of
from gpucluster.operate.jobs.objects import ClusterObjects
from tests.gpucluster.operate.jobs.objects import NOW, at, condition, event, job, owner, pod, workload
from tests.says import Says

ADMITTED = condition("Admitted", 2, message="The workload is admitted")
RESERVED = condition("QuotaReserved", 2)
RESUMED = condition("Suspended", 2, status="False", reason="Resumed")
NO_ROOM = "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu"
KEPT_OUT = condition("QuotaReserved", 1, status="False", message=NO_ROOM)
INVALID = 'TrainJob "a" is invalid: spec.trainer: Invalid value: field is immutable'
LOG = "\n".join(
    json.dumps({"level": level, "msg": "Reconciler error", "namespace": "training", "name": name, "error": error})
    for level, name, error in (
        ("error", "other", "nothing of it"),
        ("error", "a", INVALID),
        ("error", "a", "the object has been modified; please apply your changes to the latest version"),
        ("info", "a", "of no weight"),
    )
).replace('": ', '":')


def jobs(
    *workloads: dict[str, Any],
    own: tuple[dict[str, Any], ...] = (),
    pods: tuple[dict[str, Any], ...] = (),
    events: tuple[dict[str, Any], ...] = (),
    log: str = "",
) -> list[Job]:
    return jobs_of(
        ClusterObjects(
            workloads=workloads,
            jobs={"TrainJob": own},
            pods=pods,
            events=events,
            nodes=None,
            flavors=(),
            logs=lambda: iter([("kueue", log)]),
        ),
        NOW,
    )


def test_a_job_of_a_fleet_runs_in_another_cluster_and_lacks_no_pod() -> None:
    there = workload("a", RESERVED, ADMITTED)
    there["status"]["clusterName"] = "gcp-trial"
    [found] = jobs(there, own=(job("a"),))
    assert (found.state, found.reason, found.pods) == (State.RUNNING, "in the cluster gcp-trial", ())


def test_a_running_job_that_trainer_calls_suspended_runs() -> None:
    [found] = jobs(
        workload("a", RESERVED, ADMITTED), own=(job("a", RESUMED, user="ada"),), pods=(pod("a-node-0-0", "a"),)
    )
    assert (found.kind, found.state, found.reason, found.user) == ("TrainJob", State.RUNNING, "", "ada")
    assert [(one.name, one.phase, one.node) for one in found.pods] == [("a-node-0-0", "Running", "a")]


@pytest.mark.parametrize(
    ("load", "own", "pods", "state", "reason"),
    [
        (workload("a", KEPT_OUT), job("a"), (), State.WAITING, NO_ROOM),
        (
            workload("a", RESERVED, admissionChecks=[{"name": "dev", "state": "Pending", "message": "no capacity"}]),
            job("a"),
            (),
            State.WAITING,
            Says("dev", "Pending", "no capacity"),
        ),
        (workload("a", RESERVED, condition("Admitted", 0.01)), job("a"), (), State.STARTING, ""),
        (workload("a", RESERVED, ADMITTED), job("a"), (), State.PODLESS, Says("120 min")),
        (
            workload("a", RESERVED, ADMITTED, count=2),
            job("a"),
            (pod("a-node-0-0", "a"), pod("a-node-0-1", "a", phase="Pending", node="", waits="no node fits")),
            State.STARTING,
            "no node fits",
        ),
        (
            workload("a", condition("Evicted", 1, message="exceeded the maximum number of retries."), active=False),
            job("a"),
            (),
            State.STOPPED,
            "exceeded the maximum number of retries.",
        ),
        (
            workload("a", RESERVED, ADMITTED, condition("Finished", reason="OutOfSync", message="not the same pods")),
            job("a"),
            (),
            State.STOPPED,
            Says("not the same pods", "delete", "create"),
        ),
        (
            workload("a", RESERVED, ADMITTED, condition("Finished", reason="Failed", message="jobset failed")),
            job("a", condition("Failed", message="exit code 1")),
            (),
            State.FAILED,
            "exit code 1",
        ),
        (
            workload("a", RESERVED, ADMITTED, condition("Finished", reason="Succeeded", message="done")),
            job("a", condition("Complete")),
            (),
            State.FINISHED,
            "",
        ),
        (workload("a", condition("Finished", reason="Failed", message="no image")), None, (), State.FAILED, "no image"),
    ],
    ids=[
        "full",
        "check",
        "just-admitted",
        "podless",
        "starting",
        "stopped",
        "out-of-sync",
        "failed",
        "finished",
        "gone",
    ],
)
def test_a_state_has_its_reason(
    load: dict[str, Any], own: dict[str, Any] | None, pods: tuple[dict[str, Any], ...], state: State, reason: str
) -> None:
    [found] = jobs(load, own=() if own is None else (own,), pods=pods)
    assert (found.name, found.state, found.reason) == ("a", state, reason)
    stopped_by_kueue = mapping(load["spec"]).get("active") is False
    assert bool(found.resume) == stopped_by_kueue


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((), Says("kueue", INVALID)),
        ((event("a", "old", hours=3), event("a-node-0", "is forbidden"), event("ab", "other")), "is forbidden"),
        ((event("a", "of a namesake", namespace="team-vision"),), Says("kueue", INVALID)),
    ],
)
def test_an_admitted_job_without_pods_is_told_the_last_warning_else_the_error_of_a_controller(
    events: tuple[dict[str, Any], ...], reason: str
) -> None:
    [found] = jobs(workload("a", RESERVED, ADMITTED), own=(job("a"),), events=events, log=LOG)
    assert (found.state, found.reason) == (State.PODLESS, reason)


def test_the_place_in_a_queue_follows_priority_then_age() -> None:
    timed_out = condition("Evicted", 1, reason="PodsReadyTimeout")
    found = jobs(
        workload("old", KEPT_OUT, created=5),
        workload("late", KEPT_OUT, created=2),
        workload("again", KEPT_OUT, timed_out, created=9),
        workload("high", KEPT_OUT, created=1, priority=750),
        workload("runs", RESERVED, ADMITTED, created=10),
        workload("stopped", KEPT_OUT, created=10, active=False),
        workload("other", KEPT_OUT, namespace="team-vision"),
    )
    assert {one.name: one.place for one in found} == {
        "high": (1, 4),
        "old": (2, 4),
        "late": (3, 4),
        "again": (4, 4),
        "runs": None,
        "stopped": None,
        "other": (1, 1),
    }


def test_a_job_without_a_record_and_pods_of_other_kinds_are_listed() -> None:
    found = jobs(
        workload("notebook", RESERVED, ADMITTED, kind="StatefulSet"),
        own=(job("bare"),),
        pods=(
            pod("notebook-0", "", owned=owner("StatefulSet", "notebook")),
            pod("bare-0", "bare", namespace="elsewhere"),
        ),
    )
    assert [(one.kind, one.name, one.state, len(one.pods)) for one in found] == [
        ("TrainJob", "bare", State.WAITING, 0),
        ("StatefulSet", "notebook", State.RUNNING, 1),
    ]
    assert at(1) > at(2)

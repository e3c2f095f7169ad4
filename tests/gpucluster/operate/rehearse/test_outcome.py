"""What a job's objects say of it, at any moment and when the time is over."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.rehearse.objects import Family
from gpucluster.operate.rehearse.outcome import Outcome, Place, Verdict, outcome_of, refused
from tests.gpucluster.operate.rehearse.objects import manifest, pod, workload
from tests.says import Says

ADMITTED = workload(("QuotaReserved", "True", ""), ("Admitted", "True", "The workload is admitted"))
SHORT = "couldn't assign flavors to pod set node: insufficient unused quota for nvidia.com/gpu in flavor training"


def _judged(
    *pods: dict[str, Any], load: dict[str, Any] | None = None, last: bool = False, **other: Any
) -> Outcome | None:
    family = Family(pods=pods, workloads=() if load is None else (load,), events=tuple(other.pop("events", ())))
    return outcome_of(other.pop("job", manifest()), family, unsimulated=other, last=last)


def test_a_job_runs_once_all_its_pods_do() -> None:
    assert _judged(pod(0, on="a"), load=ADMITTED) is None
    job = manifest()
    assert _judged(pod(0, on="a"), pod(1, on="b"), load=ADMITTED, job=job) == Outcome(
        manifest=job,
        verdict=Verdict.RUNS,
        queue="training",
        admitted=True,
        places=(
            Place(pod="job-0", node="a", waits="", gpus=8, slices=""),
            Place(pod="job-1", node="b", waits="", gpus=8, slices=""),
        ),
    )


@pytest.mark.parametrize(("kind", "spec"), [("Deployment", {"replicas": 2}), ("Job", {"parallelism": 2})])
def test_what_no_queue_holds_runs_with_as_many_pods_as_it_asks_for(kind: str, spec: dict[str, Any]) -> None:
    job = manifest(kind, **spec)
    assert _judged(pod(0, on="a"), job=job) is None
    found = _judged(pod(0, on="a"), pod(1, on="b"), job=job)
    assert found is not None
    assert (found.verdict, found.queue, found.admitted) == (Verdict.RUNS, None, None)


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (workload(("QuotaReserved", "False", SHORT)), (f"Kueue: {SHORT}",)),
        (
            workload(("QuotaReserved", "True", ""), checks=[{"name": "dev", "state": "Pending"}]),
            (Says("Kueue", "dev", "Pending"),),
        ),
    ],
)
def test_a_job_that_is_not_admitted_waits_in_the_words_of_kueue(load: dict[str, Any], why: tuple[str, ...]) -> None:
    assert _judged(load=load) is None
    found = _judged(load=load, last=True)
    assert found is not None
    assert (found.verdict, found.admitted, found.why) == (Verdict.WAITS, False, why)


def test_a_pod_that_no_node_takes_waits_in_the_words_of_the_scheduler() -> None:
    words = "0/7 nodes are available: 5 Insufficient nvidia.com/gpu"
    found = _judged(pod(0, waits=words), load=ADMITTED, last=True)
    assert found is not None
    assert (found.verdict, found.why) == (Verdict.WAITS, (words,))


def test_a_controller_that_may_not_make_pods_is_quoted_once() -> None:
    about = {"kind": "Job", "name": "job-node-0"}
    events = [
        {"reason": "FailedCreate", "involvedObject": about, "message": f'violates PodSecurity "baseline", try {number}'}
        for number in (1, 2)
    ]
    found = _judged(load=ADMITTED, events=events, last=True)
    assert found is not None
    assert found.why == (Says("job-node-0", "PodSecurity", "2"),)


def test_a_pool_whose_machines_nobody_starts_here_leaves_the_verdict_open() -> None:
    found = _judged(pod(0, waits="no nodes", pool="dev"), load=ADMITTED, dev="the cloud's own autoscaler")
    assert found is not None
    assert (found.verdict, found.admitted) == (Verdict.UNKNOWN, True)
    assert found.why == (Says("dev", "no", "autoscaler", "not"),)


@pytest.mark.parametrize(
    ("message", "verdict"), [("", Verdict.UNKNOWN), ("Error creating ProvisioningRequest", Verdict.WAITS)]
)
def test_nodes_that_a_queue_requests_first_leave_the_verdict_open_unless_the_request_fails(
    message: str, verdict: Verdict
) -> None:
    check = {"name": "training", "state": "Pending", "message": message}
    load = workload(("QuotaReserved", "True", ""), checks=[check])
    assert _judged(load=load, training="the cloud's own autoscaler") is None
    found = _judged(load=load, last=True, training="the cloud's own autoscaler")
    assert found is not None
    assert found.verdict == verdict


def test_a_job_of_which_nothing_comes_waits() -> None:
    found = _judged(last=True)
    assert found is not None
    assert (found.verdict, found.why) == (Verdict.WAITS, ("none of its pods was created",))


@pytest.mark.parametrize("waits", ["", "pod has unbound immediate PersistentVolumeClaims. not found"])
def test_a_claim_whose_driver_is_not_simulated_leaves_the_verdict_open(waits: str) -> None:
    family = Family(pods=(pod(0, waits=waits),), workloads=(ADMITTED,), claims=("data",))
    found = outcome_of(manifest(), family, unsimulated={}, last=True)
    assert found is not None
    assert (found.verdict, found.why) == (Verdict.UNKNOWN, (Says("claim data", "CSI driver", "not simulated"),))


def test_a_condition_of_gates_that_are_gone_is_no_obstacle() -> None:
    ungated = pod(0, waits="Scheduling is blocked due to non-empty scheduling gates")
    ungated["status"]["conditions"][0]["reason"] = "SchedulingGated"
    found = _judged(ungated, load=ADMITTED, last=True)
    assert found is not None
    assert found.why == ("not started yet",)


def test_a_claim_does_not_hide_what_else_a_pod_waits_for() -> None:
    family = Family(pods=(pod(0, waits="Insufficient nvidia.com/gpu"),), workloads=(ADMITTED,), claims=("data",))
    found = outcome_of(manifest(), family, unsimulated={}, last=True)
    assert found is not None
    assert (found.verdict, found.why) == (Verdict.WAITS, ("Insufficient nvidia.com/gpu",))


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ('no matches for kind "RayCluster" in version "ray.io/v1"', Says("KubeRay", "administrator")),
        ('no matches for kind "PyTorchJob" in version "kubeflow.org/v1"', Says("TrainJob")),
        ('no matches for kind "LeaderWorkerSet" in version "leaderworkerset.x-k8s.io/v1"', Says("administrator")),
        (".spec.podTemplateOverrides: field not declared in schema", Says("runtimePatches")),
    ],
)
def test_a_refusal_that_a_researcher_cannot_read_has_a_hint(words: str, hint: str) -> None:
    assert refused(manifest(), words).why == (words, hint)
    assert refused(manifest(), "forbidden").why == ("forbidden",)


def test_a_pod_without_requests_in_a_queue_with_a_topology_is_explained() -> None:
    load = workload(("QuotaReserved", "False", "failed to assign flavors to pod set head: no TAS flavor assigned"))
    found = _judged(load=load, last=True)
    assert found is not None
    assert found.why[1] == Says("requests nothing", "resources.requests.cpu")

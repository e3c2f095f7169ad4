"""Two teams on one cluster: what one leaves idle the other borrows, gives back, and neither sees the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import ROOT, brought_up
from tests.live.harness import Live, Object, trainjob

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

_KUEUE = "kueue.x-k8s.io/v1beta2"


# What the API server takes whoever is in the team's group for: on AWS by its access entry, elsewhere by the token.
GROUP = {
    "aws": "gpucluster:team-vision",
    "gcp": "vision@example.com",
    "azure": "00000000-0000-0000-0000-00000000000b",
}


def with_teams(path: Path, cloud: str) -> Iterator[Live]:
    """The trial stack of a cloud with teams: vision has 16 of 32 GPUs, speech 8, nobody's team the last 8."""
    yield from brought_up(path, cloud, ROOT / f"examples/specs/{cloud}/teams.yaml")


def job_of(team: str, name: str, *, nodes: int, **labels: str) -> dict[str, Any]:
    job = trainjob(name, nodes=nodes, **labels)
    job["metadata"]["namespace"] = f"team-{team}"
    return job


def running(live: Live, team: str, nodes: int) -> list[Object]:
    """The pods of a team, once so many run and there is no other."""

    def look() -> list[Object] | None:
        pods = live.client.list("v1", "Pod", namespace=f"team-{team}")
        phases = [pod["status"].get("phase") for pod in pods if not pod["metadata"].get("deletionTimestamp")]
        return list(pods) if phases == ["Running"] * nodes == phases[:nodes] else None

    return live.wait_until(f"{nodes} pods of {team} run", look)


def condition(live: Live, team: str, kind: str) -> Object | None:
    """A condition of a team's only workload that holds."""
    for workload in live.client.list(_KUEUE, "Workload", namespace=f"team-{team}"):
        for found in workload.get("status", {}).get("conditions", []):
            if (found["type"], found["status"]) == (kind, "True"):
                return found
    return None


def test_a_team_borrows_what_is_idle_and_its_owner_takes_it_back(live: Live) -> None:
    """A team of 8 GPUs runs on 32. The owner of 16 submits: its job runs, and the one that borrowed waits."""
    live.submit(job_of("speech", "borrows", nodes=4, priority_class="high"))
    running(live, "speech", 4)
    live.submit(job_of("vision", "owns", nodes=2, priority_class="low"))
    running(live, "vision", 2)
    stopped = live.wait_until("the job that borrowed is stopped", lambda: condition(live, "speech", "Preempted"))
    assert stopped["reason"] == "InCohortReclamation"
    assert "due to reclamation within the cohort" in stopped["message"]
    assert [pod for pod in live.client.list("v1", "Pod", namespace="team-speech") if "nodeName" in pod["spec"]] == []


def test_what_is_a_teams_own_nobody_takes(live: Live) -> None:
    """A team runs a job of low priority on its own 8 GPUs. Another's of high priority that wants all waits."""
    live.submit(job_of("speech", "own", nodes=1, priority_class="low"))
    running(live, "speech", 1)
    live.submit(job_of("vision", "greedy", nodes=4, priority_class="high"))
    live.wait_until(
        "the greedy job waits",
        lambda: [
            found
            for workload in live.client.list(_KUEUE, "Workload", namespace="team-vision")
            for found in workload.get("status", {}).get("conditions", [])
            if found["type"] == "QuotaReserved" and found["status"] == "False"
        ],
    )
    running(live, "speech", 1)
    assert live.client.list("v1", "Pod", namespace="team-vision") == []


def test_who_submits_for_one_team_sees_and_changes_nothing_of_another(live: Live) -> None:
    """Two teams run jobs. Who submits for one reads and ends its own, sees no other's, and touches no queue."""
    live.submit(job_of("speech", "private", nodes=1))
    running(live, "speech", 1)
    allowed = [
        ("create", "trainjobs.trainer.kubeflow.org", "team-vision"),
        ("delete", "trainjobs.trainer.kubeflow.org", "team-vision"),
        ("get", "pods/log", "team-vision"),
        ("list", "workloads.kueue.x-k8s.io", "team-vision"),
        ("create", "services", "team-vision"),
        ("create", "secrets", "team-vision"),
        ("patch", "workloads.kueue.x-k8s.io", "team-vision"),
        ("list", "clustertrainingruntimes.trainer.kubeflow.org", ""),
    ]
    refused = [
        ("list", "trainjobs.trainer.kubeflow.org", "team-speech"),
        ("get", "pods/log", "team-speech"),
        ("create", "trainjobs.trainer.kubeflow.org", "team-speech"),
        ("create", "trainjobs.trainer.kubeflow.org", "training"),
        ("get", "secrets", "team-vision"),
        ("create", "pods/exec", "team-vision"),
        ("create", "services", "team-speech"),
        ("create", "rolebindings.rbac.authorization.k8s.io", "team-vision"),
        ("patch", "localqueues.kueue.x-k8s.io", "team-vision"),
        ("patch", "workloads.kueue.x-k8s.io", "team-speech"),
        ("patch", "clusterqueues.kueue.x-k8s.io", ""),
        ("delete", "nodes", ""),
    ]
    assert {what: _may(live, *what) for what in (*allowed, *refused)} == {
        **dict.fromkeys(allowed, True),
        **dict.fromkeys(refused, False),
    }


def test_a_pod_with_gpus_needs_a_queue_in_the_namespace_of_a_team_too(live: Live) -> None:
    """A pod with a GPU and no queue is refused in a team's namespace, in words."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bare", "namespace": "team-vision"},
        "spec": {"containers": [{"name": "it", "image": "it", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
    }
    assert "queue" in live.refusal(pod)
    queueless = job_of("vision", "queueless", nodes=1)
    del queueless["metadata"]["labels"]
    assert "metadata.labels has no kueue.x-k8s.io/queue-name" in live.refusal(queueless)


def _may(live: Live, verb: str, resource: str, namespace: str) -> bool:
    """What the API server says of somebody of the team `vision`."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {},
        "spec": {
            "user": "ada",
            "groups": [GROUP[live.cloud], "system:authenticated"],
            "resourceAttributes": _attributes(verb, resource, namespace),
        },
    }
    return bool(live.client.create(review)["status"]["allowed"])


def _attributes(verb: str, resource: str, namespace: str) -> dict[str, str]:
    plain, _, group = resource.partition(".")
    name, _, part = plain.partition("/")
    return {"verb": verb, "group": group, "resource": name, "subresource": part, "namespace": namespace}

"""What `gpucluster jobs` tells of jobs that wait, hold their GPUs without a pod, or never come back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import yaml
from packaging.version import Version

from gpucluster.operate.jobs.cost import cost_of
from gpucluster.operate.jobs.jobs import Job, State, jobs_of
from gpucluster.operate.jobs.objects import ClusterObjects, by_client, cluster_objects
from gpucluster.operate.rehearse.controller_logs import live_logs
from gpucluster.sandbox.live.charts import CHARTS
from tests.live.elastic import pool
from tests.live.harness import EXAMPLES, Live, trainjob

__all__ = [
    "pool",
    "test_a_notebook_that_is_scaled_to_0_and_then_to_2_comes_back_or_is_listed_as_stopped",
    "test_a_preempted_job_is_listed_in_its_place_with_its_hours",
    "test_an_admitted_job_without_pods_is_listed_with_the_reason",
]

LATER = timedelta(minutes=2)
"""After the time in which the pods of an admitted job may come without a word."""
BACK = Version("0.19.4")
"""Kueue that counts a StatefulSet again after 0 (kubernetes-sigs/kueue#15302)."""


def objects_of(live: Live) -> ClusterObjects:
    return cluster_objects(by_client(live.client), lambda: iter(live_logs(live.cluster.folder)), with_nodes=True)


def listed(live: Live, name: str, state: State, *, now: datetime | None = None) -> Job:
    """The job, once it is listed with this state."""

    def look() -> Job | None:
        found = jobs_of(objects_of(live), now or datetime.now(UTC))
        return next((job for job in found if (job.name, job.state) == (name, state)), None)

    return live.wait_until(f"{name} is listed as {state}", look)


def test_a_preempted_job_is_listed_in_its_place_with_its_hours(live: Live) -> None:
    """A job of low priority runs on four nodes. One of high priority comes: the first waits, 1 of 1, and keeps its
    GPU-hours.
    """
    live.submit(trainjob("first", nodes=4, priority_class="low"))
    live.running("first", 4)
    live.submit(trainjob("urgent", nodes=1, priority_class="high"))
    live.running("urgent", 1)
    first = listed(live, "first", State.WAITING)
    assert (first.place, first.expected) == ((1, 1), 4)
    assert "insufficient unused quota for nvidia.com/gpu" in first.reason
    assert listed(live, "urgent", State.RUNNING).reason == ""
    objects, now = objects_of(live), datetime.now(UTC)
    cost = cost_of(first, objects, None, now)
    assert cost.runs is None
    assert cost.gpu_hours == 32 * Decimal(cost.earlier) / 3600
    assert cost.earlier > 0
    assert cost.usd is not None
    assert cost.usd > 0


def test_an_admitted_job_without_pods_is_listed_with_the_reason(live: Live) -> None:
    """A job names a service account that is not there. Kueue admits it, no pod comes, and the list tells why."""
    job = trainjob("silent", nodes=1)
    pods = {"spec": {"template": {"spec": {"serviceAccountName": "missing"}}}}
    runtime = {"template": {"spec": {"replicatedJobs": [{"name": "node", "template": pods}]}}}
    job["spec"]["runtimePatches"] = [{"manager": "example.com/me", "trainingRuntimeSpec": runtime}]
    live.submit(job)

    def look() -> Job | None:
        found = listed(live, "silent", State.PODLESS, now=datetime.now(UTC) + LATER)
        return found if "missing" in found.reason else None

    assert 'serviceaccount "missing" not found' in live.wait_until("the reason is listed", look).reason


def test_a_notebook_that_is_scaled_to_0_and_then_to_2_comes_back_or_is_listed_as_stopped(pool: Live) -> None:
    """A notebook is scaled to 0 and then to 2. Kueue before 0.19.4 ends its record (kueue#15302), and it is listed as
    stopped; a later one runs both pods.
    """
    notebook = yaml.safe_load((EXAMPLES / "notebook.yaml").read_text())
    pool.submit(notebook)
    listed(pool, "notebook", State.RUNNING)
    pool.client.patch(notebook, {"spec": {"replicas": 0}})

    def gone() -> bool | None:
        return not pool.client.list("v1", "Pod", namespace="training", labels="app=notebook") or None

    pool.wait_until("its pod is gone", gone)
    pool.client.patch(notebook, {"spec": {"replicas": 2}})
    if Version(CHARTS["kueue"].version) < BACK:
        assert "out of sync" in listed(pool, "notebook", State.STOPPED).reason
    else:
        assert len(listed(pool, "notebook", State.RUNNING).pods) == 2

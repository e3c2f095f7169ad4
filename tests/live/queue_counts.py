"""What Kueue's queues count of jobs, and the faults of the Kueue that runs here which a stack's newer one has not."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes.objects.charts import KUEUE
from gpucluster.sandbox.live.charts import CHARTS
from tests.live import harness
from tests.live.harness import Live, trainjob

_CPUS = {"cpu": "8"}
_GPU = {"nvidia.com/gpu": "1"}
# What a job asks for, and what is counted.
COUNTED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "eight CPUs and a GPU": ({"requests": _CPUS, "limits": _GPU}, {**_CPUS, **_GPU}),
    "eight CPUs": ({"requests": _CPUS}, _CPUS),
}


@pytest.mark.parametrize("resources", [*COUNTED])
def test_a_queue_counts_what_the_pod_of_a_job_asks_for(live: Live, resources: str) -> None:
    """A job of one pod asks for 8 CPUs, with a GPU, or without where the rules are off. Kueue counts what Trainer puts
    into the pod; of a pod of Trainer 2.3 it would count no GPU.
    """
    job = trainjob("counted", nodes=1, example="single-gpu")
    job["spec"]["trainer"]["resourcesPerNode"], counted = COUNTED[resources]
    with _without_rules(live):
        live.submit(job)

    def both() -> tuple[dict[str, str], dict[str, str]] | None:
        made = live.client.get(
            {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": job["metadata"]}
        )
        load = live.workload("counted")
        if not made or not load:
            return None
        [one] = made["spec"]["replicatedJobs"]
        [pods] = load["spec"]["podSets"]
        return _requests(pods["template"]), _requests(one["template"]["spec"]["template"])

    assert live.wait_until("Kueue and Trainer have both seen it", both) == (counted, counted)


def _requests(pod: dict[str, Any]) -> dict[str, str]:
    """What its container asks for; a limit is a request, too."""
    [container] = pod["spec"]["containers"]
    resources = container["resources"]
    return {**resources.get("limits", {}), **resources.get("requests", {})}


@contextmanager
def _without_rules(live: Live) -> Generator[None]:
    """Admission that refuses no training job, as in a cluster without these rules."""
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding"}
    binding = {**kind, "metadata": {"name": "training-jobs"}}
    live.client.patch(binding, {"spec": {"validationActions": ["Audit"]}})
    probe = trainjob("probe", nodes=1, example="single-gpu")
    probe["spec"]["trainer"]["resourcesPerNode"] = {"requests": _CPUS}
    try:
        live.wait_until("the rules are off", lambda: not live.refusal(probe) or None)
        yield
    finally:
        live.client.patch(binding, {"spec": {"validationActions": ["Deny"]}})
        live.wait_until("the rules are on", lambda: live.refusal(probe) or None)


def test_a_notebook_at_0_comes_back_with_two_pods_but_for_kueue_15302(pool: Live) -> None:
    """A notebook runs. It is scaled to 0 and then to 2: Kueue 0.19.2, which runs here, still counts one pod and lets
    none start. 0.19.4 mends it, and a stack has 0.19.7.
    """
    assert (CHARTS["kueue"].version, KUEUE.version) == ("0.19.2", "0.19.7"), "see whether the fault is gone"
    notebook = next(yaml.safe_load_all((harness.EXAMPLES / "notebook.yaml").read_text()))
    pool.submit(notebook)
    pool.wait_until("it runs", lambda: _phases(pool) == ["Running"] or None)
    pool.client.patch(notebook, {"spec": {"replicas": 0}})
    pool.wait_until("it is gone", lambda: _phases(pool) == [] or None)
    pool.client.patch(notebook, {"spec": {"replicas": 2}})

    def stuck() -> bool | None:
        [load] = pool.client.list("kueue.x-k8s.io/v1beta2", "Workload", namespace="training")
        [pods] = load["spec"]["podSets"]
        finished = pool.condition(load, "Finished").get("reason")
        return (pods["count"] == 1 and finished == "OutOfSync" and _phases(pool) == ["Pending"]) or None

    pool.wait_until("its pod waits for a workload that has ended", stuck)


def _phases(live: Live) -> list[str]:
    return [pod["status"]["phase"] for pod in live.client.list("v1", "Pod", namespace="training")]
